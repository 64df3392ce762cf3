import { unexpectedResponse, V1Error } from "./errors.ts";
import { type ErrorCode, STATUSES } from "./v1.ts";
import { readRetryAfter } from "./values.ts";

// The sentence of V1. Other servers of V1 send no code.
const NOT_FOUND = "Resource not found.";

/** Decodes the body of a 200. Null: V1 responds that the resource does not exist. */
export function readResponse<Body, Result>(
  url: string,
  status: number,
  headers: Headers,
  text: string,
  decode: (body: Body) => Result,
): Result | null {
  const details = { status, retryAfterMs: readRetryAfter(headers), requestId: headers.get("x-request-id") };
  let failure: V1Error;
  try {
    const body = JSON.parse(text);
    if (status === 200) return decode(body);
    const code: ErrorCode = body.code ?? (body.error === NOT_FOUND ? "not_found" : undefined);
    // 400 for a path that looks like V1 under another prefix.
    const isMisplaced = code === "unknown_path" && status === 400;
    // The HTML page or the JSON of a proxy is not a response of V1, whatever its status.
    if (STATUSES[code] !== status && !isMisplaced) throw body;
    if (code === "not_found") return null;
    // The caller has to correct the URL.
    failure = new V1Error(code, /^unknown/.test(code) ? `${body.error} Requested: ${url}` : body.error, details);
  } catch (cause) {
    failure = unexpectedResponse(url, { ...details, cause });
  }
  throw failure;
}
