import { hash } from "node:crypto";
import openapi from "@credence/contract/openapi.json" with { type: "json" };
import { printDocument } from "@credence/contract/print.ts";
import { readAssets } from "@credence/explorer/assets.ts";
import { siteLinks } from "@credence/explorer/layout.ts";
import { llmsText } from "@credence/explorer/llms-text.ts";
import { OPENAPI } from "@credence/explorer/openapi.ts";
import { describeApi } from "@credence/explorer/reference.ts";
import { referenceMarkdown } from "@credence/explorer/reference-markdown.ts";
import { referencePage } from "@credence/explorer/reference-page.ts";
import type { FastifyInstance } from "fastify";
import type { Config } from "#config.ts";
import type { SendError } from "#http/respond/errors.ts";
import { prepareFile, type StaticFile, sendFile } from "./static-files.ts";

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const SHORT = "public, max-age=300";
const FOR_EVER = "public, max-age=31536000, immutable";

/** The API reference for people, for programs and for language models. Made once; everything comes from our own origin. */
export async function docs(app: FastifyInstance, config: Config, sendError: SendError): Promise<void> {
  // A proxy takes the prefix off before it asks us, so routes have none, and addresses in pages do.
  const basePath = new URL(config.publicUrl).pathname.replace(/\/+/g, "/").replace(/\/$/, "");
  const assets = await prepareAssets();
  const reference = describeApi(OPENAPI, config);
  const page = referencePage(reference, siteLinks(basePath, assets.paths));
  const document = printDocument({ ...openapi, servers: [{ url: config.publicUrl }] });
  const text = (type: string, more: Record<string, string> = {}) => ({
    "content-type": `${type}; charset=utf-8`,
    "cache-control": SHORT,
    ...more,
  });
  const files: Record<string, Promise<StaticFile>> = {
    "/docs": prepareFile(page.toString(), text("text/html", { "content-security-policy": POLICY })),
    "/docs.md": prepareFile(referenceMarkdown(reference), text("text/markdown")),
    "/llms.txt": prepareFile(llmsText(reference), text("text/plain")),
    "/openapi.json": prepareFile(document, text("application/json", { "access-control-allow-origin": "*" })),
  };

  app.get("/", (_request, reply) => reply.redirect(`${basePath}/docs`));
  for (const [path, prepared] of Object.entries(files)) {
    const file = await prepared;
    app.get(path, (request, reply) => sendFile(request, reply, file));
  }
  app.get<{ Params: { name: string } }>("/assets/:name", (request, reply) => {
    const file = assets.files.get(request.params.name);
    return file === undefined ? sendError(reply, "not_found") : sendFile(request, reply, file);
  });
}

/** Named after their content, so that a browser may keep them for ever. */
async function prepareAssets() {
  const { stylesheet, icon } = readAssets();
  const named = async (stem: string, extension: string, text: string, type: string) => {
    const name = `${stem}.${hash("sha256", text, "hex").slice(0, 10)}.${extension}`;
    return [name, await prepareFile(text, { "content-type": type, "cache-control": FOR_EVER })] as const;
  };
  const [css, svg] = await Promise.all([
    named("explorer", "css", stylesheet, "text/css; charset=utf-8"),
    named("icon", "svg", icon, "image/svg+xml"),
  ]);
  return { files: new Map([css, svg]), paths: { stylesheet: `/assets/${css[0]}`, icon: `/assets/${svg[0]}` } };
}
