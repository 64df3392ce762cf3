import type { ErrorCode } from "./errors.ts";

/** When each error is sent and what the caller should do. For documentation: never part of an answer. */
export const ERROR_MEANINGS: Record<ErrorCode, string> = {
  bad_request: "The bytes could not be read as an HTTP request. Correct the request; repeating it does not help.",
  unauthorized:
    "A key was sent that is not valid, or none was sent and the operator requires one. Correct the `X-API-KEY` header.",
  not_found:
    "No passport has this id or wallet. An id that is unknown, malformed, hidden or erased gets the same answer. A path that does not exist does too.",
  method_not_allowed: "The method is not one of those in the `Allow` header. V1 is read-only: use GET.",
  gone: "The sunset date has passed, so every call gets this answer. Move to the successor in the `Link` header, if there is one.",
  brownout:
    "V1 is switched off for a limited time, as a warning before its end. Try again after `Retry-After`, and plan to move.",
  uri_too_long: "The path and query together are longer than 8 KiB. Shorten them.",
  rate_limited: "The caller has sent more requests than its limit allows. Wait as long as `Retry-After` says.",
  headers_too_large: "The request line and headers together are larger than 16 KiB. Send fewer or shorter headers.",
  internal: "The server failed. Report the `X-Request-Id` to the operator.",
  unavailable: "The database does not answer or too many requests are waiting. Try again after `Retry-After`.",
};
