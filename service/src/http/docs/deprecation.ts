import { deprecationPage } from "@credence/explorer/deprecation/deprecation-page.ts";
import type { SiteLinks } from "@credence/explorer/layout.ts";
import type { FastifyInstance } from "fastify";
import type { Config } from "#config.ts";
import { fileContent, PAGE_HEADERS, prepareFile, type StaticFile } from "#http/pages/static-files.ts";
import { sharedSeconds } from "#http/respond/cache-control.ts";
import type { Content } from "#http/respond/content.ts";
import { addRoute, type Responder } from "#http/respond/respond.ts";
import { describeLifeCycle } from "#life-cycle/describe.ts";
import { lifeCycle } from "#life-cycle/life-cycle.ts";

const DAY_MS = 86_400_000;
const MAX_AGE_SECONDS = 300;

/** The files of one day or a part of it. They are the same until `validUntil`. */
type Edition = { validFrom: number; validUntil: number; page: Promise<StaticFile>; document: Promise<StaticFile> };

/**
 * The deprecation notice, as a page and as JSON. Both depend on the state of V1 and on the day, so
 * they are built again when one of these changes. They need no database.
 */
export function deprecationNotice(app: FastifyInstance, config: Config, links: SiteLinks, responder: Responder): void {
  let latest: Edition | null = null;
  const current = (): Edition => {
    const now = Date.now();
    if (latest === null || now < latest.validFrom || now >= latest.validUntil) latest = build(config, links, now);
    return latest;
  };
  const serve = (path: string, fileOf: (edition: Edition) => Promise<StaticFile>) =>
    addRoute(app, path, responder, async ({ headers }) => {
      const edition = current();
      const file = await fileOf(edition);
      return withMaxAge(fileContent(file, headers["accept-encoding"]), edition.validUntil);
    });
  serve("/deprecation", ({ page }) => page);
  serve("/deprecation.json", ({ document }) => document);
}

function build(config: Config, links: SiteLinks, now: number): Edition {
  const { state, from, until, headers } = lifeCycle(config, now);
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const end = Number.isFinite(until) ? new Date(until) : null;
  // The page shows the day, so that every node sends the same bytes.
  const shownAt = new Date(Math.max(today, from));
  const page = deprecationPage({ settings: config, state, now: shownAt, until: end, headers }, links).toString();
  const document = `${JSON.stringify(describeLifeCycle(config, now), null, 2)}\n`;
  return {
    validFrom: Math.max(today, from),
    validUntil: Math.min(today + DAY_MS, until),
    page: prepareFile(page, "text/html; charset=utf-8", PAGE_HEADERS),
    document: prepareFile(document, "application/json; charset=utf-8", ["access-control-allow-origin", "*"]),
  };
}

/** No cache may serve the page of an earlier state. A 304 would renew a copy. */
function withMaxAge({ etag, ...content }: Content, validUntil: number): Content {
  const seconds = Math.min(MAX_AGE_SECONDS, sharedSeconds(validUntil, Date.now()));
  return {
    ...(etag !== undefined && seconds === MAX_AGE_SECONDS && { etag }),
    ...content,
    headers: [...(content.headers ?? []), "cache-control", `public, max-age=${seconds}`],
  };
}
