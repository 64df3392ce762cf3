import { errorPage } from "@credence/explorer/site/error-page.ts";
import type { Config } from "#core/config/config.ts";
import { readPath } from "#core/http/connections/request-target.ts";
import type { Content } from "#core/http/respond/content.ts";
import type { ErrorContentOf } from "#core/http/respond/errors.ts";
import { parseReference } from "#core/identity/reference.ts";
import type { LifeCycle } from "#life-cycle/state-and-headers.ts";
import { matchV1 } from "#v1/prefixes.ts";
import { createErrorContentAt } from "#v1/unknown-paths.ts";
import { frameOf, type HttpSite } from "./site.ts";
import { PAGE_HEADERS, REFERRER_POLICY } from "./static-files.ts";

const HEALTH_PATH = /^\/+health\//;
/** Only the number is in a 404 of these pages, which is the same for all people who are not shown. */
const PERSON_PATH = /^\/passports\/([^/?]*)/;
const VARY_ACCEPT = ["vary", "Accept"];

/**
 * Errors as JSON, or as a page if a browser asked for one. Those of V1 and of health checks are always
 * JSON. A path that is nothing else may be meant as V1, so its error has V1's headers, but not below
 * /holder, where no other site may read.
 */
export function createErrorContent(
  config: Config,
  site: HttpSite,
  lifeCycle: () => LifeCycle,
  isHolderPath: (url: string) => boolean,
): ErrorContentOf {
  const ofV1 = matchV1(config);
  const errorContentAt = createErrorContentAt(config);
  return ({ id, method, url, headers, limit }, code) => {
    const error = errorContentAt(url, code);
    if (ofV1.test(readPath(url))) return error;
    const isV1 = code === "unknown_path" && !isHolderPath(url);
    if (HEALTH_PATH.test(url)) return { ...error, isV1 };
    // Not cached, because a shared cache that ignores Vary, as nginx may, would mix up the two forms. But the
    // 404 of a person replaces an older copy; deploy/nginx stores both forms of it.
    const caching = code === "not_found" && PERSON_PATH.test(url) ? "missing-page" : "no-store";
    const content: Content = { ...error, caching, isV1 };
    const errorHeaders = [...(content.headers ?? []), ...VARY_ACCEPT];
    if (!headers.accept?.includes("text/html")) return { ...content, headers: errorHeaders };
    const retryAt = limit === null ? null : new Date(Date.now() + limit.waitMs);
    const state = {
      code,
      status: content.status,
      requestId: id,
      retryAt,
      address: method === "GET" ? addressOf(url) : null,
      passport: code === "not_found" ? passportOf(url) : null,
    };
    return {
      ...content,
      body: Buffer.from(errorPage(frameOf({ config, site, lifeCycle }), state).toString()),
      type: "text/html; charset=utf-8",
      headers: [...errorHeaders, ...PAGE_HEADERS, ...REFERRER_POLICY],
    };
  };
}

function passportOf(url: string): { id: number | null } | null {
  const [, text] = PERSON_PATH.exec(url) ?? [];
  if (text === undefined) return null;
  const reference = parseReference(text);
  return { id: reference?.kind === "passport_id" ? reference.passportId : null };
}

/** As a link to the same server: two slashes, or a backslash after one, would name another one. */
const addressOf = (url: string): string => url.replace(/^\/+/, "/").replaceAll("\\", "%5C");
