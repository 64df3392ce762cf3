import type { IncomingHttpHeaders } from "node:http";
import type { Config } from "#core/config/config.ts";
import type { ReportEvent } from "#core/http/connections/security-events.ts";
import { type Caller, WITHOUT_KEY } from "#core/http/limits/rate-limits.ts";
import { hasApiKey, isProbeKey, readTokenId } from "#core/identity/api-key.ts";
import { UNKNOWN_KEY } from "#usage/record-usage.ts";
import type { KeyCounts } from "./key-metrics.ts";
import type { Keyring, KeyStatus } from "./keyring.ts";

/**
 * `ip` is the caller's address, also behind a trusted proxy. The check sets `client` if the key is
 * not valid.
 */
type CheckedRequest = { headers: IncomingHttpHeaders; ip: string; client: string };

/** Why a request is refused: its key, or that it has none. */
export type KeyRefusal = "invalid key" | "no key";

/**
 * Checks the X-API-KEY header. A request is refused with a revoked or expired key in all modes, with
 * an unknown key in `optional` and `required` mode, and without a key in `required` mode. `open`
 * mode, for the takeover from another server, counts an unknown key and treats it as no key. While
 * keys cannot be read, a key that is not known is an error (503), but in `open` mode only one of our
 * form: keys of the other server go on working.
 */
export function createKeyCheck(
  mode: Config["authMode"],
  keyring: Keyring,
  counts: KeyCounts,
  report: ReportEvent,
): (request: CheckedRequest) => Caller | KeyRefusal | Promise<Caller | KeyRefusal> {
  const decide = (status: KeyStatus, request: CheckedRequest, token: string): Caller | KeyRefusal => {
    if (status === "unknown") {
      const isProbe = isProbeKey(token);
      if (!isProbe) request.client = UNKNOWN_KEY;
      if (mode !== "open") return refuse("an unknown key was refused", { address: request.ip });
      if (!isProbe) counts.countUnknownKey();
      return WITHOUT_KEY;
    }
    if ("keyId" in status) return status;
    request.client = status.revokedId;
    return refuse("a revoked or expired key was used", { keyId: status.revokedId });
  };
  const refuse: (...event: Parameters<ReportEvent>) => KeyRefusal = (...event) => {
    report(...event);
    return "invalid key";
  };
  return (request) => {
    if (!hasApiKey(request.headers)) return mode === "required" ? "no key" : WITHOUT_KEY;
    const token = String(request.headers["x-api-key"]);
    const status = keyring.check(token);
    if (!(status instanceof Promise)) return decide(status, request, token);
    const judged = mode === "open" && readTokenId(token) === null ? status.catch(() => "unknown" as const) : status;
    return judged.then((loaded) => decide(loaded, request, token));
  };
}

// A key in a URL ends up in logs and browser histories.
const KEY_PATTERN = /\b(?:x[-_])?api[-_]?key=|crd_[0-9A-Za-z]{48}/i;

export function hasKeyInQuery(url: string): boolean {
  const query = url.indexOf("?");
  return query !== -1 && KEY_PATTERN.test(url.slice(query));
}
