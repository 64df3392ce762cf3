import { printDocument } from "@credence/contract/answer-bytes.ts";
import openapi from "@credence/contract/openapi.json" with { type: "json" };
import { calendarFile } from "@credence/explorer/deprecation/calendar-file.ts";
import { deprecationPage } from "@credence/explorer/deprecation/deprecation-page.ts";
import { llmsText } from "@credence/explorer/reference/llms-text.ts";
import { OPENAPI } from "@credence/explorer/reference/openapi.ts";
import { describeApi } from "@credence/explorer/reference/reference.ts";
import { referenceMarkdown } from "@credence/explorer/reference/reference-markdown.ts";
import { referencePage } from "@credence/explorer/reference/reference-page.ts";
import type { FastifyInstance } from "fastify";
import { addRoute, NotFound } from "#core/http/respond/respond.ts";
import { ASSETS } from "#explorer/explorer-points.ts";
import { dateOrNull } from "#explorer/site/site.ts";
import { pageFile, type StateFileDeps, stateFiles } from "#explorer/site/state-files.ts";
import { prepareFile } from "#explorer/site/static-files.ts";
import { describeLifeCycle } from "#life-cycle/describe.ts";

const SHORT = ["cache-control", "public, max-age=300"];
const ANY_ORIGIN = ["access-control-allow-origin", "*"];

/**
 * The API reference for people, programs and language models, and the deprecation notice. Pages load
 * files of our own origin only.
 */
export function docs(app: FastifyInstance, { config, responder, site }: StateFileDeps): void {
  const reference = describeApi(OPENAPI, config);
  const info = { ...openapi.info, description: reference.intro };
  const document = printDocument({ ...openapi, info, servers: [{ url: config.publicUrl }] });
  const prepare = (text: string, type: string, headers: readonly string[] = []) =>
    prepareFile(text, `${type}; charset=utf-8`, [...SHORT, ...headers]);
  const files = {
    "/docs.md": prepare(referenceMarkdown(reference), "text/markdown"),
    "/llms.txt": prepare(llmsText(reference), "text/plain"),
    "/openapi.json": prepare(document, "application/json", ANY_ORIGIN),
  };
  for (const [path, file] of Object.entries(files)) {
    addRoute(app, path, responder, ({ headers }) => file(headers["accept-encoding"]));
  }
  stateFiles(
    app,
    { config, site, responder },
    {
      "/docs": ({ frame }) => pageFile(referencePage(reference, frame)),
      "/deprecation": ({ now, lifeCycle: { state, from, until, headers } }) =>
        pageFile(
          deprecationPage(
            { settings: config, state, now, from: dateOrNull(from), until: dateOrNull(until), headers },
            site.links,
          ),
        ),
      // A calendar without events is not one.
      ...(config.sunsetAt !== null && {
        "/deprecation.ics": () => ({ text: calendarFile(config), type: "text/calendar" }),
      }),
      "/deprecation.json": ({ now }) => ({
        text: `${JSON.stringify(describeLifeCycle(config, now.getTime()), null, 2)}\n`,
        type: "application/json",
        headers: ANY_ORIGIN,
      }),
    },
  );
  addRoute<{ Params: { name: string } }>(app, ASSETS, responder, ({ params, headers }) => {
    const file = site.assets.get(params.name);
    if (file === undefined) throw new NotFound();
    return file(headers["accept-encoding"]);
  });
}
