import type { AuthMode } from "#config.ts";
import type { Wire } from "#http/cache/answer-cache.ts";
import type { LifeCycle } from "#life-cycle/life-cycle.ts";
import { cacheControl, type Keyed, VARY } from "./cache-control.ts";
import type { Content } from "./content.ts";
import { matchesNone } from "./if-none-match.ts";

/** A complete response, ready to be written. Headers alternate names and values. */
export type Response = { status: number; headers: string[]; body: Wire | null };

export type RequestInfo = Keyed & {
  requestId: string;
  ifNoneMatch: string | undefined;
  /** Headers that differ from request to request, such as those of a rate limit. */
  headers: readonly string[];
  /** The connection closes after the response. */
  closes: boolean;
};

const CORS = [
  ...["access-control-allow-origin", "*"],
  "access-control-expose-headers",
  "Deprecation, Sunset, Link, ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
  ...["cross-origin-resource-policy", "cross-origin"],
];

/** Composes every response of the public port: status, headers and body. */
export function composer(
  lifeCycle: () => LifeCycle,
  authMode: AuthMode,
): (content: Content, request: RequestInfo) => Response {
  return (content, request) => {
    const { status, body, type, encoding, etag, caching, links, headers: contentHeaders, isV1 } = content;
    const headers: string[] = [];
    const { cacheUntil, headers: cycle } = lifeCycle();
    if (isV1) {
      headers.push("deprecation", cycle.deprecation);
      if (cycle.sunset !== undefined) headers.push("sunset", cycle.sunset);
      headers.push("link", links === undefined ? cycle.link : `${cycle.link}, ${links}`, ...CORS);
    }
    headers.push("x-content-type-options", "nosniff");
    if (caching !== "fixed") headers.push("cache-control", cacheControl(caching, request, authMode, cacheUntil));
    if (caching === "answer" || caching === "not-found") headers.push("vary", VARY);
    if (isV1) headers.push("x-request-id", request.requestId);
    if (etag !== undefined) headers.push("etag", etag);
    if (contentHeaders !== undefined) headers.push(...contentHeaders);
    if (request.headers.length > 0) headers.push(...request.headers);
    if (request.closes) headers.push("connection", "close");
    if (etag !== undefined && !matchesNone(request.ifNoneMatch, etag)) return { status: 304, headers, body: null };
    if (status === 204) return { status, headers, body: null };
    headers.push("content-type", type, "content-length", String(body.length));
    if (encoding !== undefined) headers.push("content-encoding", encoding);
    return { status, headers, body };
  };
}
