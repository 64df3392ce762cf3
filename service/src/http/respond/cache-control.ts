import type { AuthMode } from "#config.ts";
import type { Caching } from "./content.ts";

export const VARY = "Accept-Encoding, X-API-KEY";

/** All values below are constant while the end of V1 is at least this many seconds away. */
const FAR_SECONDS = 3_660;

function publicFor(seconds: number): string {
  const maxAge = Math.min(60, seconds);
  const whileRevalidating = Math.min(60, seconds - maxAge);
  const ifError = Math.min(3_600, seconds - maxAge);
  return `public, max-age=${maxAge}, stale-while-revalidate=${whileRevalidating}, stale-if-error=${ifError}`;
}

const privateFor = (seconds: number): string => `private, max-age=${Math.min(60, seconds)}`;

const FAR_PUBLIC = publicFor(FAR_SECONDS);
const FAR_PRIVATE = privateFor(FAR_SECONDS);

/** What of a request decides who may cache its response. */
export type Keyed = {
  /** The id of a valid key. */
  keyId: string | null;
  /** The X-API-KEY header was sent, with whatever value. */
  hasKey: boolean;
};

/**
 * The Cache-Control header. A response to a request with a key is private: a shared cache would
 * also send it to callers without a key. No response is cached past `cacheUntil`, the end of V1's
 * current state.
 */
export function cacheControl(
  caching: Exclude<Caching, "fixed">,
  { keyId, hasKey }: Keyed,
  authMode: AuthMode,
  cacheUntil: number,
): string {
  if (caching === "no-store") return "no-store";
  const seconds = Math.max(0, Math.floor((cacheUntil - Date.now()) / 1000));
  if (caching === "not-found") {
    return hasKey || authMode === "required" ? "no-store" : `public, max-age=${Math.min(30, seconds)}`;
  }
  if (seconds >= FAR_SECONDS) return keyId === null ? FAR_PUBLIC : FAR_PRIVATE;
  return keyId === null ? publicFor(seconds) : privateFor(seconds);
}
