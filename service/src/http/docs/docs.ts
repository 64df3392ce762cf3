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
import type { Content } from "#http/respond/content.ts";
import { errorContent } from "#http/respond/errors.ts";
import { addRoute, type Responder } from "#http/respond/respond.ts";
import { fileContent, prepareFile } from "./static-files.ts";

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const SHORT = ["cache-control", "public, max-age=300"];
const IMMUTABLE = ["cache-control", "public, max-age=31536000, immutable"];

/**
 * The API reference for people, programs and language models. Built once, from our own origin only.
 */
export async function docs(app: FastifyInstance, config: Config, responder: Responder): Promise<void> {
  // A proxy removes the path of PUBLIC_URL, so routes have no prefix; addresses in pages have it.
  const basePath = new URL(config.publicUrl).pathname.replace(/\/+/g, "/").replace(/\/$/, "");
  const assets = await prepareAssets();
  const reference = describeApi(OPENAPI, config);
  const page = referencePage(reference, siteLinks(basePath, assets.paths)).toString();
  const document = printDocument({ ...openapi, servers: [{ url: config.publicUrl }] });
  const prepare = (text: string, type: string, headers: readonly string[] = []) =>
    prepareFile(text, `${type}; charset=utf-8`, [...SHORT, ...headers]);
  const files = {
    "/docs": await prepare(page, "text/html", ["content-security-policy", POLICY]),
    "/docs.md": await prepare(referenceMarkdown(reference), "text/markdown"),
    "/llms.txt": await prepare(llmsText(reference), "text/plain"),
    "/openapi.json": await prepare(document, "application/json", ["access-control-allow-origin", "*"]),
  };

  const redirect: Content = {
    ...{ status: 302, body: "", type: "text/plain; charset=utf-8", caching: "fixed", isV1: false },
    headers: ["location", `${basePath}/docs`],
  };
  addRoute(app, "/", responder, () => redirect);
  for (const [path, file] of Object.entries(files)) {
    addRoute(app, path, responder, ({ headers }) => fileContent(file, headers["accept-encoding"]));
  }
  addRoute<{ Params: { name: string } }>(app, "/assets/:name", responder, ({ params, headers }) => {
    const file = assets.files.get(params.name);
    return file === undefined ? errorContent("not_found") : fileContent(file, headers["accept-encoding"]);
  });
}

/** Assets are named after their content, so that browsers may cache them for ever. */
async function prepareAssets() {
  const { stylesheet, icon } = readAssets();
  const named = async (stem: string, extension: string, text: string, type: string) => {
    const name = `${stem}.${hash("sha256", text, "hex").slice(0, 10)}.${extension}`;
    return [name, await prepareFile(text, type, IMMUTABLE)] as const;
  };
  const [css, svg] = await Promise.all([
    named("explorer", "css", stylesheet, "text/css; charset=utf-8"),
    named("icon", "svg", icon, "image/svg+xml"),
  ]);
  return { files: new Map([css, svg]), paths: { stylesheet: `/assets/${css[0]}`, icon: `/assets/${svg[0]}` } };
}
