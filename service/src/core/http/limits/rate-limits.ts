import type { FastifyRequest } from "fastify";
import type { Config } from "#core/config/config.ts";
import { clientNetwork, createTrustCheck } from "#core/http/connections/client-network.ts";
import { WINDOW_MS } from "./bucket.ts";
import type { Admission, Limiter } from "./limiter.ts";

/**
 * What a request costs, in points, unless its feature says otherwise: the reference, unknown paths, a refused key.
 * One point is about 50 µs of CPU, that of a look-up that is in no cache. A test compares those of V1 with the
 * results of the bench.
 */
export const OTHER_POINTS = 1;

export type ValidKey = { keyId: string; pointsLimit: number | null; rehearsedUntil: Date | null };

/** Who sent a request. `keyId` is null for a request without a key. */
export type Caller = ValidKey | { keyId: null };

export const WITHOUT_KEY: Caller = { keyId: null };

/** The limit that applies to a request, for the headers of its response. */
export type AppliedLimit = Admission & { name: string; policy: string };

export type RateLimits = {
  /** Charges a request to its key, or else to its address. Null: no limit applies. */
  charge: (request: Pick<FastifyRequest, "ip">, caller: Caller, points: number) => AppliedLimit | null;
  /** Charges a 405, a 414, or a 401 without a key. It keeps its status over the limit. Returns whether it is sent late. */
  chargeMistake: (request: Pick<FastifyRequest, "ip">) => boolean;
  /** Counts a CORS preflight, which costs nothing. Returns whether its client sends too many. */
  isPreflightFlood: (request: Pick<FastifyRequest, "ip">) => boolean;
  countRefused: () => number;
  countBuckets: () => number;
};

const WINDOW_SECONDS = WINDOW_MS / 1_000;
const policyOf = (name: string, limit: number): string => `"${name}";q=${limit};w=${WINDOW_SECONDS}`;

/** A browser caches the response to a preflight for two hours. */
const MAX_PREFLIGHTS = 2_500;

type Limits = Pick<Config, "rateLimitAnonymous" | "rateLimitKeys" | "rateLimitExempt">;

/** Chooses the limit of a request: that of its key, or of its address. 0 means no limit. */
export function createRateLimits(
  { rateLimitAnonymous, rateLimitKeys, rateLimitExempt }: Limits,
  limiter: Limiter,
): RateLimits {
  const isExempt = rateLimitExempt.length === 0 ? () => false : createTrustCheck(rateLimitExempt);
  const anonymous = policyOf("anonymous", rateLimitAnonymous);
  const keyed = policyOf("key", rateLimitKeys);
  let refused = 0;
  const charge: RateLimits["charge"] = ({ ip }, caller, points) => {
    const isKeyed = caller.keyId !== null;
    const limit = isKeyed ? (caller.pointsLimit ?? rateLimitKeys) : rateLimitAnonymous;
    if (limit === 0 || isExempt(ip)) return null;
    const client = isKeyed ? { keyId: caller.keyId } : { address: clientNetwork(ip) };
    const admission = limiter.admit(client, points, limit);
    if (admission.waitMs > 0) refused += 1;
    if (!isKeyed) return { ...admission, name: "anonymous", policy: anonymous };
    return { ...admission, name: "key", policy: limit === rateLimitKeys ? keyed : policyOf("key", limit) };
  };
  return {
    charge,
    chargeMistake: (request) => isOver(charge(request, WITHOUT_KEY, OTHER_POINTS)),
    isPreflightFlood({ ip }) {
      if (rateLimitAnonymous === 0 || isExempt(ip)) return false;
      return limiter.admit({ address: `preflights of ${clientNetwork(ip)}` }, 1, MAX_PREFLIGHTS).waitMs > 0;
    },
    countRefused: () => refused,
    countBuckets: limiter.size,
  };
}

export const isOver = (limit: AppliedLimit | null): boolean => limit !== null && limit.waitMs > 0;

/** The value of the RateLimit header: what is left, and when the whole limit is available again. */
export const rateLimitHeader = ({ name, remaining, fullInMs }: AppliedLimit): string =>
  `"${name}";r=${remaining};t=${Math.ceil(fullInMs / 1_000)}`;

export const retryAfterSeconds = ({ waitMs }: AppliedLimit): string => String(Math.max(1, Math.ceil(waitMs / 1_000)));
