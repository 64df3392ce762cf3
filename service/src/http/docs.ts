import { randomUUID } from "node:crypto";
import { etagOf } from "@credence/contract/etag.ts";
import openapi from "@credence/contract/openapi.json" with { type: "json" };
import { printDocument } from "@credence/contract/print.ts";
import type { FastifyInstance } from "fastify";
import type { Config } from "#config.ts";
import { VERSION } from "#version.ts";
import { type Reference, renderReference } from "./reference.ts";
import { matchesNone } from "./v1/if-none-match.ts";

/** The OpenAPI document, and a page to read it and try it out. Everything comes from our own origin. */
export async function docs(app: FastifyInstance, config: Config): Promise<void> {
  const document = printDocument({ ...openapi, servers: [{ url: config.publicUrl }] });
  const documentEtag = etagOf(document);

  app.get("/", (_request, reply) => reply.redirect("/docs"));
  app.get("/openapi.json", (request, reply) => {
    reply.headers({ "access-control-allow-origin": "*", "cache-control": "public, max-age=300", etag: documentEtag });
    if (!matchesNone(request.headers["if-none-match"], documentEtag)) return reply.code(304).send();
    return reply.header("content-type", "application/json; charset=utf-8").send(document);
  });
  await app.register((scope) => reference(scope, config));
}

async function reference(app: FastifyInstance, config: Config): Promise<void> {
  const nonce = randomUUID();
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self' ${new URL(config.publicUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  const scriptEtag = etagOf(`scalar of ${VERSION}`);

  app.addHook("onRequest", (_request, reply, next) => {
    reply.headers({
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    next();
  });
  let rendered: Promise<Reference> | null = null;
  const render = async (): Promise<Reference> => {
    rendered ??= renderReference(nonce);
    return rendered.catch((error) => {
      rendered = null;
      throw error;
    });
  };
  app.get("/docs", async (request, reply) => {
    const [path = ""] = request.url.split("?");
    // What the page asks for is relative to it.
    if (!path.endsWith("/")) return reply.redirect("/docs/", 301);
    reply.header("cache-control", "no-cache").type("text/html; charset=utf-8");
    return (await render()).page;
  });
  app.get("/docs/js/scalar.js", async (request, reply) => {
    // The script weighs four megabytes: once a day is enough.
    reply.headers({ "cache-control": "public, max-age=86400", etag: scriptEtag });
    if (!matchesNone(request.headers["if-none-match"], scriptEtag)) return reply.code(304).send();
    reply.type("application/javascript; charset=utf-8");
    return (await render()).script;
  });
}
