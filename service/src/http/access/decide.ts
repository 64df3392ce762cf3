import type { Config } from "#config.ts";
import type { Metrics } from "#http/metrics/metrics.ts";
import type { Keyring, Verdict } from "./keyring.ts";

/** Who asks: the holder of a key, or anybody. Null: nobody who may. */
export type Caller = { keyId: string | null };

const ANYBODY: Caller = { keyId: null };

/**
 * Decides by the X-API-KEY header. An empty one is none. `optional`: no key is fine, a bad one is not. `required`: no key is
 * not fine either. `open`, for taking over from another server: a key nobody here has heard of counts as none, and is counted.
 */
export function decideBy(
  mode: Config["authMode"],
  keyring: Keyring,
  metrics: Metrics,
): (apiKey: string | string[] | undefined) => Caller | null | Promise<Caller | null> {
  const settle = (verdict: Verdict): Caller | null => {
    if (typeof verdict === "object") return verdict;
    if (verdict === "refused" || mode !== "open") return null;
    metrics.countUnknownKey();
    return ANYBODY;
  };
  return (apiKey) => {
    if (apiKey === undefined || apiKey === "") return mode === "required" ? null : ANYBODY;
    const verdict = keyring.judge(String(apiKey));
    return verdict instanceof Promise ? verdict.then(settle) : settle(verdict);
  };
}

// A key belongs into a header: in an address it ends up in logs and histories.
const LIKE_A_KEY = /\b(?:x[-_])?api[-_]?key=|crd_[0-9A-Za-z]{48}/i;

export function hasKeyInQuery(url: string): boolean {
  const query = url.indexOf("?");
  return query !== -1 && LIKE_A_KEY.test(url.slice(query));
}
