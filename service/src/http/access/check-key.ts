import type { IncomingHttpHeaders } from "node:http";
import type { Config } from "#config.ts";
import type { Metrics } from "#http/metrics/metrics.ts";
import { UNKNOWN_KEY } from "#store/usage/record-usage.ts";
import { type Caller, WITHOUT_KEY } from "./caller.ts";
import type { Keyring, KeyStatus } from "./keyring.ts";
import type { ReportEvent } from "./security-events.ts";

/**
 * `ip` is the caller's address, also behind a trusted proxy. The check sets `client` if the key is
 * not valid.
 */
type CheckedRequest = { headers: IncomingHttpHeaders; ip: string; client: string };

/**
 * Checks the X-API-KEY header; an empty header counts as no key. Returns null if the request must
 * be refused: a revoked or expired key in all modes, an unknown key in `optional` and `required`
 * mode, no key in `required` mode. `open` mode, for the takeover from another server, counts an
 * unknown key and treats it as no key.
 */
export function createKeyCheck(
  mode: Config["authMode"],
  keyring: Keyring,
  metrics: Metrics,
  report: ReportEvent,
): (request: CheckedRequest) => Caller | null | Promise<Caller | null> {
  const decide = (status: KeyStatus, request: CheckedRequest): Caller | null => {
    if (status === "unknown") {
      request.client = UNKNOWN_KEY;
      if (mode !== "open") return refuse("an unknown key was refused", { address: request.ip });
      metrics.countUnknownKey();
      return WITHOUT_KEY;
    }
    if ("keyId" in status) return status;
    request.client = status.revokedId;
    return refuse("a revoked or expired key was used", { keyId: status.revokedId });
  };
  const refuse: (...event: Parameters<ReportEvent>) => null = (...event) => {
    report(...event);
    return null;
  };
  return (request) => {
    const apiKey = request.headers["x-api-key"];
    if (apiKey === undefined || apiKey === "") return mode === "required" ? null : WITHOUT_KEY;
    const status = keyring.check(String(apiKey));
    return status instanceof Promise ? status.then((loaded) => decide(loaded, request)) : decide(status, request);
  };
}

// A key in a URL ends up in logs and browser histories.
const KEY_PATTERN = /\b(?:x[-_])?api[-_]?key=|crd_[0-9A-Za-z]{48}/i;

export function hasKeyInQuery(url: string): boolean {
  const query = url.indexOf("?");
  return query !== -1 && KEY_PATTERN.test(url.slice(query));
}
