import type { ErrorCode } from "./errors.ts";

const header = (description: string, example: string) => ({ description, schema: { type: "string" }, example });

/** The headers of V1. Those of the rate limits depend on the server: docs/API.md describes them. */
export const HEADERS = {
  Deprecation: header(
    "The date since which V1 is deprecated: RFC 9745, Unix seconds as a structured-field date.",
    "@1743379200",
  ),
  Sunset: header(
    "The date on which V1 is switched off: RFC 8594, an HTTP date. Sent only when the operator has set one.",
    "Wed, 30 Jun 2027 00:00:00 GMT",
  ),
  Link: header(
    "Links to the deprecation notice, the sunset policy and the successor. On the list also `first`, `prev`, `next` and `last`.",
    '<https://v1.example/deprecation>; rel="deprecation"; type="text/html"',
  ),
  ETag: header(
    "A weak entity tag of the uncompressed body, the same for every caller and every content coding. Send it in `If-None-Match`: the response is an empty 304 while the body is unchanged.",
    'W/"3q2-7wAAAAAAAAAAAAAAAA"',
  ),
  "Cache-Control": header(
    "Which caches may store the response, and for how many seconds. With a key, a 200 is `private` and a 404 is `no-store`. Other errors are always `no-store`.",
    "public, max-age=60, stale-while-revalidate=60, stale-if-error=3600",
  ),
  Vary: header("The request headers that are part of a cache key. Always the same.", "Accept-Encoding, X-API-KEY"),
  "X-Request-Id": header(
    "Identifies the request. Quote it when you report a problem to the operator.",
    "0197f5c2-6f3b-7c1e-9a51-3f2b8c0d4e6a",
  ),
  "Access-Control-Allow-Origin": header("CORS: pages of any origin may read V1, also with a key.", "*"),
  "WWW-Authenticate": header("The header in which to send a key.", 'ApiKey realm="v1", header="X-API-KEY"'),
  Allow: header("The allowed methods.", "GET, HEAD, OPTIONS"),
  "Retry-After": header("The number of seconds to wait before a retry. Not in a `gone`: no retry helps.", "2"),
} as const;

export type HeaderName = keyof typeof HEADERS;

export const ON_EVERY_RESPONSE: HeaderName[] = [
  "Deprecation",
  "Sunset",
  "Link",
  "X-Request-Id",
  "Access-Control-Allow-Origin",
];

export const ON_FOUND: HeaderName[] = ["ETag", "Cache-Control", "Vary"];

/** The headers of an error, in addition to those of every response. */
export const ON_ERROR: Partial<Record<ErrorCode, HeaderName[]>> = {
  unauthorized: ["WWW-Authenticate"],
  not_found: ["Vary"],
  method_not_allowed: ["Allow"],
  rate_limited: ["Retry-After"],
  brownout: ["Retry-After"],
  unavailable: ["Retry-After"],
};
