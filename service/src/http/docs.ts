import { randomUUID } from "node:crypto";
import { etagOf } from "@credence/contract/etag.ts";
import openapi from "@credence/contract/openapi.json" with { type: "json" };
import { printDocument } from "@credence/contract/print.ts";
import scalar from "@scalar/fastify-api-reference";
import type { FastifyInstance } from "fastify";
import type { Config } from "#config.ts";
import { VERSION } from "#version.ts";
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

  app.addHook("onRequest", (request, reply, next) => {
    // The page's own redirect parses what the request says of its host, which may be missing or anything at all.
    for (const name of ["x-forwarded-host", "x-forwarded-proto"]) delete request.raw.headers[name];
    request.raw.headers.host = "localhost";
    const isScript = request.routeOptions.url === "/docs/js/scalar.js";
    reply.headers({
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": isScript ? "public, max-age=86400" : "no-cache",
    });
    if (!isScript) return next();
    // The script weighs four megabytes: once a day is enough.
    reply.header("etag", scriptEtag);
    if (matchesNone(request.headers["if-none-match"], scriptEtag)) return next();
    return reply.code(304).send();
  });
  await app.register(scalar, {
    routePrefix: "/docs",
    configuration: {
      url: "../openapi.json",
      nonce,
      pageTitle: "Passport and Credentials API (V1, deprecated)",
      withDefaultFonts: false,
      hideClientButton: true,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: "never",
    },
  });
}
