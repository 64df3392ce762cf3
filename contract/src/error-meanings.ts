import type { ErrorCode } from "./errors.ts";

/** When each error is sent and what the caller should do, for the documentation. */
export const ERROR_MEANINGS: Record<ErrorCode, string> = {
  bad_request: "The bytes could not be parsed as an HTTP request. Correct the request; a retry does not help.",
  unauthorized:
    "The key is not valid, or the operator requires a key and none was sent. Correct the `X-API-KEY` header.",
  not_found: "No passport has this id or wallet. Unknown, malformed, hidden and erased ids get the same response.",
  unknown_path:
    "The path is none of the three endpoints. Correct the URL. If it looks like V1 under another prefix, the status is 400 and not 404, because many clients take a 404 for a person without a passport.",
  method_not_allowed: "The method is not listed in the `Allow` header. V1 is read-only: use GET.",
  gone: "The sunset date has passed, so every request gets this response. Move to the successor in the `Link` header, if there is one.",
  brownout:
    "V1 is switched off for a limited time, as a warning before its sunset. Retry after `Retry-After` seconds, and plan to move.",
  uri_too_long: "The path and query together are longer than 8 KiB. Shorten them.",
  rate_limited: "The caller has exceeded its rate limit. Retry after `Retry-After` seconds.",
  headers_too_large: "The request line and headers together are larger than 16 KiB. Send fewer or shorter headers.",
  internal: "The server failed. Report the `X-Request-Id` to the operator.",
  unavailable: "The database does not respond, or too many requests are queued. Retry after `Retry-After` seconds.",
};
