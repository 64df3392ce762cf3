import type { AuthMode } from "#core/config/config.ts";
import { type AppliedLimit, rateLimitHeader, retryAfterSeconds } from "#core/http/limits/rate-limits.ts";
import { cacheControl, isRenewable, type Keyed, VARY } from "./cache-control.ts";
import type { Content, Wire } from "./content.ts";
import { CORS } from "./cors.ts";

/** A complete response, ready to be written. Headers alternate names and values. */
export type Response = { status: number; headers: string[]; body: Wire | null };

export type RequestInfo = Keyed & {
  requestId: string;
  ifNoneMatch: string | undefined;
  /** Further headers of this response, such as Retry-After. */
  headers: readonly string[];
  limit: AppliedLimit | null;
  /** The connection closes after the response. */
  closes: boolean;
};

/** What the life cycle adds to responses of V1, and until when they may be cached. */
export type V1State = { cacheUntil: number; headers: { deprecation: string; sunset?: string; link: string } };

/** Composes every response of the public port: status, headers and body. */
export function composer(
  lifeCycle: () => V1State,
  authMode: AuthMode,
  clock: () => number = Date.now,
  /** Further request headers that V1's responses depend on. */
  alsoVary: string | null = null,
): (content: Content, request: RequestInfo) => Response {
  const varyOfV1 = alsoVary === null ? VARY : `${VARY}, ${alsoVary}`;
  return (content, request) => {
    const { status, body, type, encoding, etag, caching, links, headers: contentHeaders, isV1 } = content;
    const headers: string[] = [];
    const { cacheUntil, headers: cycle } = lifeCycle();
    if (isV1) {
      headers.push("deprecation", cycle.deprecation);
      if (cycle.sunset !== undefined) headers.push("sunset", cycle.sunset);
      headers.push("link", links === undefined ? cycle.link : `${cycle.link}, ${links}`);
      headers.push(...CORS);
    }
    headers.push("x-content-type-options", "nosniff");
    const now = clock();
    const control = caching === "fixed" ? null : cacheControl(caching, request, authMode, cacheUntil, now);
    if (control !== null) headers.push("cache-control", control);
    if (request.limit !== null) {
      headers.push("ratelimit-policy", request.limit.policy);
      // A shared cache would send what is left of this client's limit to all clients.
      if (control !== null && !control.startsWith("public")) headers.push("ratelimit", rateLimitHeader(request.limit));
      if (status === 429) headers.push("retry-after", retryAfterSeconds(request.limit));
    }
    if (caching !== "no-store" && caching !== "fixed") headers.push("vary", isV1 ? varyOfV1 : VARY);
    if (isV1 || status >= 400) headers.push("x-request-id", request.requestId);
    if (etag !== undefined) headers.push("etag", etag);
    if (contentHeaders !== undefined) headers.push(...contentHeaders);
    if (request.headers.length > 0) headers.push(...request.headers);
    if (request.closes) headers.push("connection", "close");
    const mayConfirm = caching !== "answer" || isRenewable(request.keyId, cacheUntil, now);
    if (etag !== undefined && mayConfirm && hasVersion(request.ifNoneMatch, etag))
      return { status: 304, headers, body: null };
    if (status === 204) return { status, headers, body: null };
    headers.push("content-type", type, "content-length", String(body.length));
    if (encoding !== undefined) headers.push("content-encoding", encoding);
    return { status, headers, body };
  };
}

/**
 * Whether the caller has this version already, so that the response is a 304. RFC 9110: `*`, or a list
 * with the tag, compared weakly.
 */
export function hasVersion(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  // A tag cannot contain a quote, so the quoted tag occurs in the list if and only if the list
  // holds it.
  return ifNoneMatch.trim() === "*" || ifNoneMatch.includes(etag.replace(/^W\//, ""));
}
