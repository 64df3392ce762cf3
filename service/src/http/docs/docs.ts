import openapi from "@credence/contract/openapi.json" with { type: "json" };
import { printDocument } from "@credence/contract/print.ts";
import { llmsText } from "@credence/explorer/reference/llms-text.ts";
import { OPENAPI } from "@credence/explorer/reference/openapi.ts";
import { describeApi } from "@credence/explorer/reference/reference.ts";
import { referenceMarkdown } from "@credence/explorer/reference/reference-markdown.ts";
import { referencePage } from "@credence/explorer/reference/reference-page.ts";
import type { FastifyInstance } from "fastify";
import type { Deps } from "#http/deps.ts";
import { fileContent, PAGE_HEADERS, prepareFile } from "#http/pages/static-files.ts";
import { errorContent } from "#http/respond/errors.ts";
import { addRoute } from "#http/respond/respond.ts";
import { deprecationNotice } from "./deprecation.ts";

const SHORT = ["cache-control", "public, max-age=300"];

/**
 * The API reference for people, programs and language models, built once, and the deprecation
 * notice. Pages load files of our own origin only.
 */
export async function docs(
  app: FastifyInstance,
  { config, responder, site }: Pick<Deps, "config" | "responder" | "site">,
): Promise<void> {
  const { links, assets } = site;
  const reference = describeApi(OPENAPI, config);
  const page = referencePage(reference, links).toString();
  const info = { ...openapi.info, description: reference.intro };
  const document = printDocument({ ...openapi, info, servers: [{ url: config.publicUrl }] });
  const prepare = (text: string, type: string, headers: readonly string[] = []) =>
    prepareFile(text, `${type}; charset=utf-8`, [...SHORT, ...headers]);
  const files = {
    "/docs": await prepare(page, "text/html", PAGE_HEADERS),
    "/docs.md": await prepare(referenceMarkdown(reference), "text/markdown"),
    "/llms.txt": await prepare(llmsText(reference), "text/plain"),
    "/openapi.json": await prepare(document, "application/json", ["access-control-allow-origin", "*"]),
  };

  for (const [path, file] of Object.entries(files)) {
    addRoute(app, path, responder, ({ headers }) => fileContent(file, headers["accept-encoding"]));
  }
  deprecationNotice(app, config, links, responder);
  addRoute<{ Params: { name: string } }>(app, "/assets/:name", responder, ({ params, headers }) => {
    const file = assets.get(params.name);
    return file === undefined ? errorContent("not_found") : fileContent(file, headers["accept-encoding"]);
  });
}
