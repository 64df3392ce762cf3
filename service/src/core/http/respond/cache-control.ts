import type { AuthMode } from "#core/config/config.ts";
import type { Caching } from "./content.ts";

export const VARY = "Accept-Encoding, X-API-KEY";

/** All values below are constant if a response may be cached for at least this many seconds. */
const FAR_SECONDS = 3_660;

/**
 * Responses expire this long before a change. A cache counts from the arrival of a response, and
 * nginx serves it for up to a second longer, as it compares whole seconds.
 */
const MARGIN_SECONDS = 2;

function publicFor(seconds: number): string {
  const maxAge = Math.min(60, seconds);
  const whileRevalidating = Math.min(60, seconds - maxAge);
  const ifError = Math.min(3_600, seconds - maxAge);
  return `public, max-age=${maxAge}, stale-while-revalidate=${whileRevalidating}, stale-if-error=${ifError}`;
}

const privateFor = (seconds: number): string => `private, max-age=${Math.min(60, seconds)}`;

const FAR_PUBLIC = publicFor(FAR_SECONDS);
const FAR_PRIVATE = privateFor(FAR_SECONDS);

/** The number of seconds for which a client may cache a response, at most. */
const privateSeconds = (cacheUntil: number, now: number): number =>
  Math.max(0, Math.floor((cacheUntil - now) / 1000) - MARGIN_SECONDS);

/**
 * The number of seconds for which a shared cache may store a response, at most. Half of the time:
 * nginx sends no Age header, so that a client may cache the stored response for as long again.
 */
export const sharedSeconds = (cacheUntil: number, now: number): number =>
  Math.floor(privateSeconds(cacheUntil, now) / 2);

/**
 * Whether a shared cache may renew its copy after a 304. nginx then sends the stored headers, whose
 * times are too long before a change. If the 304 has no max-age above 0, nginx even renews its copy
 * for the stored time.
 */
export const isRenewable = (keyId: string | null, cacheUntil: number, now: number): boolean =>
  keyId !== null || sharedSeconds(cacheUntil, now) >= FAR_SECONDS;

/** What of a request decides who may cache its response. */
export type Keyed = {
  /** The id of a valid key. */
  keyId: string | null;
  /** The X-API-KEY header has a key, whether it is valid or not. */
  hasKey: boolean;
};

/**
 * The Cache-Control header. A response to a request with a key is private: a shared cache would
 * also send it to callers without a key. Every time of the header ends before `cacheUntil`, the end
 * of V1's current state.
 */
export function cacheControl(
  caching: Exclude<Caching, "fixed">,
  { keyId, hasKey }: Keyed,
  authMode: AuthMode,
  cacheUntil: number,
  now: number,
): string {
  if (caching === "no-store") return "no-store";
  const seconds = sharedSeconds(cacheUntil, now);
  if (caching === "not-found" || caching === "missing-page") {
    // Pages need no key.
    const isPrivate = hasKey || (authMode === "required" && caching === "not-found");
    return isPrivate ? "no-store" : `public, max-age=${Math.min(30, seconds)}`;
  }
  if (seconds >= FAR_SECONDS) return keyId === null ? FAR_PUBLIC : FAR_PRIVATE;
  return keyId === null ? publicFor(seconds) : privateFor(privateSeconds(cacheUntil, now));
}
