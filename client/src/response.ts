import { unexpectedResponse, V1Error } from "./errors.ts";
import { readRetryAfter } from "./headers.ts";
import { type ErrorCode, STATUSES } from "./v1.ts";

/** Decodes the body of a 200. Null: V1 responds that the resource does not exist. */
export function readResponse<Body, Result>(
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
    const code: ErrorCode = body.code;
    // The HTML page or the JSON of a proxy is not a response of V1, whatever its status.
    if (STATUSES[code] !== status) throw body;
    if (code === "not_found") return null;
    failure = new V1Error(code, body.error, details);
  } catch (cause) {
    failure = unexpectedResponse({ ...details, cause });
  }
  throw failure;
}
