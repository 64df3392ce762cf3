import type { ErrorCode } from "./v1.ts";

/**
 * Why a call failed: the errors of V1, and three of the client. `not_found` is not one of them: a
 * person without a passport is no failure, and `findPassport` returns null. `unknown_path` means that
 * there is no V1 at `baseUrl`, and `unknown_filter` that `fetch` or a proxy adds a parameter.
 *
 * - `network`: no response, because of DNS, the connection, TLS, or CORS in a browser.
 * - `timeout`: no complete response within `timeoutMs`.
 * - `unexpected_response`: a response that is not from V1, such as an HTML page of a proxy.
 */
export type FailureCode = Exclude<ErrorCode, "not_found"> | "network" | "timeout" | "unexpected_response";

export type FailureDetails = {
  status?: number;
  retryAfterMs?: number | null;
  requestId?: string | null;
  cause?: unknown;
};

/** Every failure of a call, except for an abort: that rejects with the reason of the signal. */
export class V1Error extends Error {
  readonly code: FailureCode;
  /** The HTTP status. Null without a response. */
  readonly status: number | null;
  /** How long the server asks to wait before a retry. Null if it does not. */
  readonly retryAfterMs: number | null;
  /** Quote it when you report a problem to the operator. */
  readonly requestId: string | null;

  constructor(code: FailureCode, message: string, details: FailureDetails) {
    super(message, { cause: details.cause });
    this.name = "V1Error";
    this.code = code;
    this.status = details.status ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.requestId = details.requestId ?? null;
  }
}

/** The failure of a response that V1 does not send. */
export const unexpectedResponse = (url: string, details: FailureDetails): V1Error =>
  new V1Error(
    "unexpected_response",
    `Status ${details.status}, not a response of V1, from ${url}. Check baseUrl and proxies.`,
    details,
  );
