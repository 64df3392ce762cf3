import type { Config } from "#config.ts";

const VARY = "Accept-Encoding, X-API-KEY";

type CacheHeaders = { "cache-control": string; vary: string };
export type CachePolicy = {
  found: (keyId: string | null, nowMs: number) => CacheHeaders;
  /** `asked` is the header as it came: what was asked with any key at all is nobody else's. */
  missing: (asked: string | string[] | undefined, nowMs: number) => CacheHeaders;
};

/** Beyond this nothing is kept by anybody. */
const LONGEST = 3_660;

/** What was asked with a key is the caller's alone: a shared cache would hand it to whoever has none. */
const keyedFor = (left: number): CacheHeaders => ({
  "cache-control": `private, max-age=${Math.min(60, left)}`,
  vary: VARY,
});

function anybodyFor(left: number): CacheHeaders {
  const maxAge = Math.min(60, left);
  const whileRevalidating = Math.min(60, left - maxAge);
  const ifError = Math.min(3_600, left - maxAge);
  return {
    "cache-control": `public, max-age=${maxAge}, stale-while-revalidate=${whileRevalidating}, stale-if-error=${ifError}`,
    vary: VARY,
  };
}

/** How long answers may be kept, in seconds, and by whom; never beyond the moment V1 is switched off. */
export function cachePolicy(config: Config): CachePolicy {
  const sunsetMs = config.sunsetAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const secondsLeft = (nowMs: number) => Math.max(0, Math.floor((sunsetMs - nowMs) / 1000));
  const far = { keyed: keyedFor(LONGEST), anybody: anybodyFor(LONGEST) };
  return {
    found: (keyId, nowMs) => {
      const left = secondsLeft(nowMs);
      if (left >= LONGEST) return keyId === null ? far.anybody : far.keyed;
      return keyId === null ? anybodyFor(left) : keyedFor(left);
    },
    missing: (asked, nowMs) => ({
      "cache-control":
        asked === undefined && config.authMode !== "required"
          ? `public, max-age=${Math.min(30, secondsLeft(nowMs))}`
          : "no-store",
      vary: VARY,
    }),
  };
}
