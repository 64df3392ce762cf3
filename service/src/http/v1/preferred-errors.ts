import type { ErrorCode } from "@credence/contract/errors.ts";
import type { FastifyRequest } from "fastify";
import { WITHOUT_KEY } from "#http/access/caller.ts";
import type { RateLimits } from "#http/limits/rate-limits.ts";
import type { Content } from "#http/respond/content.ts";
import { errorContent } from "#http/respond/errors.ts";
import { retryAfter } from "#life-cycle/life-cycle.ts";

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
const WAIT_MS = 2_000;
const BROWNOUT_MS = 3_600_000;

export type PreferredError = { content: Content; headers: readonly string[] };

/** The error that a request asks for; null if it asks for none, or for one that does not exist. */
export function preferredError(request: FastifyRequest, limits: RateLimits): PreferredError | null {
  const { prefer } = request.headers;
  if (typeof prefer !== "string") return null;
  const found = prefer.split(",").map((preference) => PREFERENCE.exec(preference.trim()));
  const [, status = "", kind] = found.find((match) => match !== null) ?? [];
  const code = CODES[kind === undefined ? status : `${status} ${kind.toLowerCase()}`];
  if (code === undefined) return null;
  if (code === "rate_limited") exhaust(request, limits);
  return {
    content: { ...errorContent(code), caching: "no-store" },
    headers: [
      ...["preference-applied", `code=${status}`],
      ...(code === "brownout" ? retryAfter(Date.now() + BROWNOUT_MS, Date.now()) : []),
    ],
  };
}

/** The headers of a 429 show a limit that is spent. Nothing is charged. */
function exhaust(request: FastifyRequest, limits: RateLimits): void {
  const limit = limits.charge(request, WITHOUT_KEY, 0);
  request.limit = limit && { ...limit, remaining: 0, fullInMs: 5 * WAIT_MS, waitMs: WAIT_MS };
}
