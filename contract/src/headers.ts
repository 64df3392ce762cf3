import type { ErrorCode } from "./errors.ts";

type Header = { description: string; schema: { type: "string" }; example: string };

const header = (description: string, example: string): Header => ({
  description,
  schema: { type: "string" },
  example,
});

/** Every response header V1 sends on purpose, described once for the OpenAPI document. */
export const HEADERS = {
  Deprecation: header(
    "Since when V1 is deprecated: RFC 9745, seconds since 1970 as a structured-field date.",
    "@1743379200",
  ),
  Sunset: header(
    "When V1 is switched off: RFC 8594, an HTTP date. Only when the operator has set a date.",
    "Wed, 30 Jun 2027 00:00:00 GMT",
  ),
  Link: header(
    "Where to read about the deprecation, the sunset policy and the successor; on the list also first, prev, next, last.",
    '<https://v1.example/docs>; rel="deprecation"; type="text/html"',
  ),
  ETag: header(
    "A weak entity tag over the uncompressed body, the same for every caller and every content coding. Send it back in `If-None-Match`: the answer is an empty 304 while nothing has changed.",
    'W/"3q2-7wAAAAAAAAAAAAAAAA"',
  ),
  "Cache-Control": header(
    "How long, in seconds, and where the answer may be kept. An answer to a call with a key is `private`; an error other than 404 is `no-store`.",
    "public, max-age=60, stale-while-revalidate=60, stale-if-error=3600",
  ),
  Vary: header("The request headers that caches must tell apart. Always the same.", "Accept-Encoding, X-API-KEY"),
  "X-Request-Id": header(
    "Identifies this request. Quote it when you ask the operator for help.",
    "0197f5c2-6f3b-7c1e-9a51-3f2b8c0d4e6a",
  ),
  "Access-Control-Allow-Origin": header("CORS: a page of any origin may read V1, with a key too.", "*"),
  "WWW-Authenticate": header("How to send a key.", 'ApiKey realm="v1", header="X-API-KEY"'),
  Allow: header("The methods that are answered.", "GET, HEAD, OPTIONS"),
  "Retry-After": header("How many seconds to wait before trying again.", "2"),
} as const;

export type HeaderName = keyof typeof HEADERS;

export const ON_EVERY_ANSWER: HeaderName[] = [
  "Deprecation",
  "Sunset",
  "Link",
  "X-Request-Id",
  "Access-Control-Allow-Origin",
];

export const ON_FOUND: HeaderName[] = ["ETag", "Cache-Control", "Vary"];

/** What an error carries beside the headers of every answer. */
export const ON_ERROR: Partial<Record<ErrorCode, HeaderName[]>> = {
  unauthorized: ["WWW-Authenticate"],
  not_found: ["Vary"],
  method_not_allowed: ["Allow"],
  rate_limited: ["Retry-After"],
  brownout: ["Retry-After"],
  unavailable: ["Retry-After"],
};
