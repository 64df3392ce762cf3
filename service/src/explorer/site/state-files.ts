import type { Frame } from "@credence/explorer/frame.ts";
import type { Safe } from "@credence/explorer/html.ts";
import type { FastifyInstance } from "fastify";
import { sharedSeconds } from "#core/http/respond/cache-control.ts";
import type { Content } from "#core/http/respond/content.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { type LifeCycle, lifeCycle } from "#life-cycle/state-and-headers.ts";
import { frameOf, type SiteDeps } from "./site.ts";
import { PAGE_HEADERS, prepareFile, type StaticFile } from "./static-files.ts";

const DAY_MS = 86_400_000;
/** In a brownout, a page says how many minutes are left. */
const BROWNOUT_MS = 300_000;
const MAX_AGE_SECONDS = 300;

/** The state of V1 that a file is built for. `now` is the start of the edition. */
export type Moment = { frame: Frame; lifeCycle: LifeCycle; now: Date };

type Rendered = { text: string; type: string; headers?: readonly string[] };
type Render = (moment: Moment) => Rendered;

export const pageFile = (page: Safe): Rendered => ({
  text: page.toString(),
  type: "text/html",
  headers: PAGE_HEADERS,
});

/** The files of one state of V1, and of one day or five minutes. They are the same until `validUntil`. */
type Edition = { validFrom: number; validUntil: number; files: Map<string, StaticFile> };

export type StateFileDeps = Omit<SiteDeps, "lifeCycle">;

/**
 * Routes of files that depend on the state of V1 and on the time. They are built again when one of these
 * changes, so that every page says the same. They need no database.
 */
export function stateFiles(app: FastifyInstance, deps: StateFileDeps, renders: Readonly<Record<string, Render>>): void {
  let latest: Edition | null = null;
  const current = (): Edition => {
    const now = Date.now();
    if (latest === null || now < latest.validFrom || now >= latest.validUntil) latest = openEdition(deps, now);
    return latest;
  };
  for (const [path, render] of Object.entries(renders)) {
    addRoute(app, path, deps.responder, async ({ headers }) => {
      const edition = current();
      const file = edition.files.get(path) ?? prepare(render(momentOf(deps, edition.validFrom)));
      edition.files.set(path, file);
      return withMaxAge(await file(headers["accept-encoding"]), edition.validUntil);
    });
  }
}

function openEdition({ config }: StateFileDeps, now: number): Edition {
  const { state, from, until } = lifeCycle(config, now);
  const length = state === "brownout" ? BROWNOUT_MS : DAY_MS;
  const start = Math.floor(now / length) * length;
  return { validFrom: Math.max(start, from), validUntil: Math.min(start + length, until), files: new Map() };
}

/** Every node has the same editions, and sends the same bytes. */
function momentOf({ config, site }: Pick<SiteDeps, "config" | "site">, at: number): Moment {
  const found = lifeCycle(config, at);
  return { frame: frameOf({ config, site, lifeCycle: () => found }), lifeCycle: found, now: new Date(at) };
}

const prepare = ({ text, type, headers = [] }: Rendered): StaticFile =>
  prepareFile(text, `${type}; charset=utf-8`, headers);

/** No cache may serve the file of an earlier state. A 304 would renew a copy. */
function withMaxAge({ etag, ...content }: Content, validUntil: number): Content {
  const seconds = Math.min(MAX_AGE_SECONDS, sharedSeconds(validUntil, Date.now()));
  return {
    ...(etag !== undefined && seconds === MAX_AGE_SECONDS && { etag }),
    ...content,
    headers: [...(content.headers ?? []), "cache-control", `public, max-age=${seconds}`],
  };
}
