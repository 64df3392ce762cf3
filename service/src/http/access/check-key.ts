import type { IncomingHttpHeaders } from "node:http";
import type { Config } from "#config.ts";
import type { Metrics } from "#http/metrics/metrics.ts";
import type { Keyring, Verdict } from "./keyring.ts";
import type { ReportEvent } from "./security-events.ts";

/** Who asks: the holder of a key, or anybody. Null: nobody who may. */
export type Caller = { keyId: string | null };

/** What of a request decides. `ip` is the caller's address, behind a trusted proxy too. */
type Asking = { headers: IncomingHttpHeaders; ip: string };

const ANYBODY: Caller = { keyId: null };

/**
 * Decides by the X-API-KEY header. An empty one is none. `optional`: no key is fine, a bad one is not. `required`: no key is
 * not fine either. `open`, for taking over from another server: a key nobody here has heard of counts as none, and is counted.
 */
export function createKeyCheck(
  mode: Config["authMode"],
  keyring: Keyring,
  metrics: Metrics,
  report: ReportEvent,
): (request: Asking) => Caller | null | Promise<Caller | null> {
  const settle = (verdict: Verdict, { ip }: Asking): Caller | null => {
    if (verdict === "unknown") {
      if (mode !== "open") return refuse("an unknown key was refused", { address: ip });
      metrics.countUnknownKey();
      return ANYBODY;
    }
    if ("keyId" in verdict) return verdict;
    return refuse("a revoked or expired key was used", { keyId: verdict.revokedId });
  };
  const refuse: (...event: Parameters<ReportEvent>) => null = (...event) => {
    report(...event);
    return null;
  };
  return (request) => {
    const apiKey = request.headers["x-api-key"];
    if (apiKey === undefined || apiKey === "") return mode === "required" ? null : ANYBODY;
    const verdict = keyring.judge(String(apiKey));
    return verdict instanceof Promise ? verdict.then((one) => settle(one, request)) : settle(verdict, request);
  };
}

// A key belongs into a header: in an address it ends up in logs and histories.
const LIKE_A_KEY = /\b(?:x[-_])?api[-_]?key=|crd_[0-9A-Za-z]{48}/i;

export function hasKeyInQuery(url: string): boolean {
  const query = url.indexOf("?");
  return query !== -1 && LIKE_A_KEY.test(url.slice(query));
}
