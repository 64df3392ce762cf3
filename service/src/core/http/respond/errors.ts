import type { IncomingHttpHeaders } from "node:http";
import { ERRORS, type ErrorCode, errorBody } from "@credence/contract/errors.ts";
import type { AppliedLimit } from "#core/http/limits/rate-limits.ts";
import { type Content, JSON_TYPE } from "./content.ts";

/** What of a request decides the form of an error. */
type FailedRequest = {
  id: string;
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  limit: AppliedLimit | null;
};

export type ErrorContentOf = (request: FailedRequest, code: ErrorCode) => Content;

export const ALLOWED_METHODS = "GET, HEAD, OPTIONS";

/** Seconds after which a retry is sensible when the database did not answer. */
const RETRY_AFTER_SECONDS = "2";

const HEADERS: Partial<Record<ErrorCode, readonly string[]>> = {
  unauthorized: ["www-authenticate", 'ApiKey realm="v1", header="X-API-KEY"'],
  method_not_allowed: ["allow", ALLOWED_METHODS],
  unavailable: ["retry-after", RETRY_AFTER_SECONDS],
};

const describe = (code: ErrorCode): Content => ({
  status: ERRORS[code].status,
  body: errorBody(code),
  type: JSON_TYPE,
  caching: code === "not_found" ? "not-found" : "no-store",
  headers: HEADERS[code] ?? [],
  isV1: true,
});

const CONTENTS = new Map((Object.keys(ERRORS) as ErrorCode[]).map((code) => [code, describe(code)]));

/** The response to a request that failed or was refused. */
export const errorContent = (code: ErrorCode): Content => CONTENTS.get(code) as Content;
