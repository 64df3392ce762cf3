/** Every error of V1, by its code. The set of codes is closed. */
export const ERRORS = {
  bad_request: { status: 400, error: "The request could not be read." },
  unknown_filter: {
    status: 400,
    error:
      "V1 has no such filter. On the list, keyword finds people by name; /api/v1/passports/{id} returns one person by id or wallet.",
  },
  unauthorized: { status: 401, error: "The API key is missing, malformed, unknown, expired or revoked." },
  // Published clients compare this sentence word for word.
  not_found: { status: 404, error: "Resource not found." },
  unknown_path: {
    status: 404,
    error: "This path is no endpoint. V1 is at /api/v1/passports and /api/v1/passport_credentials.",
  },
  method_not_allowed: { status: 405, error: "Only GET, HEAD and OPTIONS are answered here." },
  gone: { status: 410, error: "V1 has been switched off. The Link header says where to go." },
  brownout: {
    status: 410,
    error: "V1 is switched off for a while to rehearse its end. The Link header says where to go.",
  },
  uri_too_long: { status: 414, error: "The request target is longer than 8 KiB." },
  rate_limited: { status: 429, error: "Too many requests. The Retry-After header says when to try again." },
  headers_too_large: { status: 431, error: "The request's headers are too large." },
  internal: { status: 500, error: "Something went wrong on the server. The X-Request-Id header names this request." },
  unavailable: { status: 503, error: "The server cannot answer right now. Try again after the Retry-After time." },
} as const;

/**
 * The status of `unknown_path` for a path that looks like V1, or a later version. Many clients take a
 * 404 for "this person has no passport", and would show a score of 0.
 */
export const MISPLACED_STATUS = 400;

export type ErrorCode = keyof typeof ERRORS;

/** The exact bytes of an error response; `ErrorBody` in answers.ts is their schema. */
export function errorBody(code: ErrorCode): string {
  return JSON.stringify({ error: ERRORS[code].error, code });
}

/** When each error is sent and what the caller should do, for the documentation. */
export const ERROR_MEANINGS: Record<ErrorCode, string> = {
  bad_request: "The bytes could not be parsed as an HTTP request. Correct the request; a retry does not help.",
  unknown_filter:
    "A parameter of the list or of the credentials asks for a filter or for one person in a way that V1 does not have. It is not ignored, because the response would be about other people. Use `keyword`, the path of a passport, or `passport_id`.",
  unauthorized:
    "The key is not valid, or the operator requires a key and none was sent. Correct the `X-API-KEY` header.",
  not_found: "No passport has this id or wallet. Unknown, malformed, hidden and erased ids get the same response.",
  unknown_path:
    "The path is none of the three endpoints. Correct the URL. If it looks like V1 or a later version of it, the status is 400 and not 404, because many clients take a 404 for a person without a passport.",
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
