import type { Config } from "#config.ts";

const VARY = "Accept-Encoding, X-API-KEY";

type CacheHeaders = { "cache-control": string; vary: string };
export type CachePolicy = { found: (nowMs: number) => CacheHeaders; missing: (nowMs: number) => CacheHeaders };

/** How long anonymous answers may be kept, in seconds; never beyond the moment V1 is switched off. */
export function cachePolicy(config: Config): CachePolicy {
  const sunsetMs = config.sunsetAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const secondsLeft = (nowMs: number) => Math.max(0, Math.floor((sunsetMs - nowMs) / 1000));
  return {
    found: (nowMs) => {
      const left = secondsLeft(nowMs);
      const maxAge = Math.min(60, left);
      const whileRevalidating = Math.min(60, left - maxAge);
      const ifError = Math.min(3_600, left - maxAge);
      return {
        "cache-control": `public, max-age=${maxAge}, stale-while-revalidate=${whileRevalidating}, stale-if-error=${ifError}`,
        vary: VARY,
      };
    },
    missing: (nowMs) => ({ "cache-control": `public, max-age=${Math.min(30, secondsLeft(nowMs))}`, vary: VARY }),
  };
}
