import type { ErrorCode } from "./errors.ts";

type Header = { description: string; schema: { type: "string" }; example?: string };

const header = (description: string, example?: string): Header => ({
  description,
  schema: { type: "string" },
  ...(example === undefined ? {} : { example }),
});

/** Every response header V1 sends on purpose, described once for the OpenAPI document. */
export const HEADERS = {
  Deprecation: header("RFC 9745: since when V1 is deprecated, as a structured-field date.", "@1743379200"),
  Sunset: header("RFC 8594: when V1 will be switched off. Only when the operator has set a date."),
  Link: header(
    "Where to read about the deprecation, the sunset policy and the successor; on the list also first, prev, next, last.",
    '<https://v1.example/docs>; rel="deprecation"; type="text/html"',
  ),
  ETag: header("A weak entity tag over the uncompressed body.", 'W/"3q2-7wAAAAAAAAAAAAAAAA"'),
  "Cache-Control": header("How long, and where, the answer may be kept."),
  Vary: header("Always the same.", "Accept-Encoding, X-API-KEY"),
  "X-Request-Id": header("Names this request; quote it when asking for help."),
  "Access-Control-Allow-Origin": header("Any page may read V1.", "*"),
  "WWW-Authenticate": header("How to send a key.", 'ApiKey realm="v1", header="X-API-KEY"'),
  Allow: header("The methods that are answered.", "GET, HEAD, OPTIONS"),
  "Retry-After": header("Seconds to wait before trying again.", "2"),
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
