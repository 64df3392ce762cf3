import { etagOf } from "@credence/contract/answer-bytes.ts";
import type { SinglePassport } from "@credence/contract/answers.ts";
import { badge } from "@credence/explorer/people/badge.ts";
import type { FastifyInstance } from "fastify";
import type { Content } from "#core/http/respond/content.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { parseReference } from "#core/identity/reference.ts";
import { parseAnswer } from "#v1/answers/answers.ts";
import type { ExplorerDeps } from "./people-site.ts";

const HEADERS = [
  "content-security-policy",
  "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy",
  "cross-origin",
  "x-robots-tag",
  "noindex",
];

const badgeContent = (image: string): Content => ({
  status: 200,
  body: Buffer.from(image),
  type: "image/svg+xml",
  etag: etagOf(image),
  caching: "answer",
  headers: HEADERS,
  isV1: false,
});

/** Someone who is unknown, hidden or erased, and everyone after the sunset. */
const NEUTRAL = [false, true].map((isDark) => badgeContent(badge(null, isDark).toString()));

/** The badge of a passport. A page that shows it never gets a broken image. */
export function badges(app: FastifyInstance, { answers, responder, lifeCycle, config }: ExplorerDeps): void {
  addRoute<{ Params: { file: string } }>(app, "/badge/:file", responder, async ({ params }) => {
    const reference = parseReference(params.file.replace(/(?:-dark)?\.svg$/, ""));
    const isDark = params.file.endsWith("-dark.svg");
    const isShown = config.hasExplorer && lifeCycle().state !== "gone";
    const answer = reference === null || !isShown ? null : await answers.passport(reference);
    if (answer === null) return NEUTRAL[isDark ? 1 : 0] as Content;
    return badgeContent(badge(parseAnswer<SinglePassport>(answer).passport, isDark).toString());
  });
}
