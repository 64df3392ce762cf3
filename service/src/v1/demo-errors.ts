import type { ErrorCode } from "@credence/contract/errors.ts";
import type { FastifyRequest } from "fastify";
import { VARIABLES } from "#core/config/variables.ts";
import type { AppliedLimit } from "#core/http/limits/rate-limits.ts";
import type { Content } from "#core/http/respond/content.ts";
import { errorContent } from "#core/http/respond/errors.ts";
import { retryAfterHeader } from "#life-cycle/state-and-headers.ts";

// Integrators test how their app handles errors: the demo sends the error that a request asks for
// (Prefer, RFC 7240). A real server ignores the header: nobody should be able to make a shared cache
// or a dashboard believe that V1 fails.

/** For `access-control-allow-headers` and `vary`. */
export const PREFER = "Prefer";

const CODES: Readonly<Record<string, ErrorCode>> = {
  "401": "unauthorized",
  "404": "not_found",
  "410": "gone",
  "410 brownout": "brownout",
  "429": "rate_limited",
  "503": "unavailable",
};

const PREFERENCE = /^code\s*=\s*"?(\d{3})"?(?:\s*;\s*(brownout))?$/i;
const BROWNOUT_MS = 3_600_000;
/** For the headers of a 429, also on a server without limits. */
const SPENT: AppliedLimit = {
  name: "anonymous",
  policy: `"anonymous";q=${VARIABLES.RATE_LIMIT_ANONYMOUS};w=10`,
  waitMs: 2_000,
  remaining: 0,
  fullInMs: 10_000,
  refusals: 1,
};

export type PreferredError = { content: Content; headers: readonly string[] };

/** The error that a request asks for; null if it asks for none, or for one that does not exist. */
export function preferredError(request: FastifyRequest): PreferredError | null {
  const { prefer } = request.headers;
  if (typeof prefer !== "string") return null;
  const found = prefer.split(",").map((preference) => PREFERENCE.exec(preference.trim()));
  const [, status = "", kind] = found.find((match) => match !== null) ?? [];
  const code = CODES[kind === undefined ? status : `${status} ${kind.toLowerCase()}`];
  if (code === undefined) return null;
  if (code === "rate_limited") request.limit = SPENT;
  return {
    content: { ...errorContent(code), caching: "no-store" },
    headers: [
      "preference-applied",
      `code=${status}`,
      "access-control-expose-headers",
      "Preference-Applied",
      ...(code === "brownout" ? retryAfterHeader(Date.now() + BROWNOUT_MS, Date.now()) : []),
    ],
  };
}
