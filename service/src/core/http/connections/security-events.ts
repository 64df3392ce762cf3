import { isIPv4 } from "node:net";
import type { Logger } from "pino";

/** An event that an operator may want to investigate. */
type SecurityEvent =
  | "a revoked or expired key was used"
  | "an unknown key was refused"
  | "a key was sent in a URL"
  | "connections of one address were refused"
  | "a proxy that is not trusted forwards requests, which share its limit";

export type ReportEvent = (event: SecurityEvent, source: { keyId: string } | { address: string | undefined }) => void;

/** What an operator can do, logged with the first event of its kind. */
const ADVICE: Partial<Record<SecurityEvent, string>> = {
  "an unknown key was refused":
    "If it is a key of an old server: AUTH_MODE=open accepts all of them for a while, `credence usage unknown-keys` lists them, and `credence keys adopt --seen PREFIX` keeps one.",
  "a proxy that is not trusted forwards requests, which share its limit":
    "If it is your proxy, add its address to TRUSTED_PROXIES: all its clients count as one now.",
};
const LOG_EVERY_MS = 60_000;
/** Eviction scans all sources, so it runs at most once a second. */
const EVICT_EVERY_MS = 1_000;
/** Beyond this number, events of new sources are not logged until old sources are evicted. */
const MAX_SOURCES = 1_000;

/** Logs security events once a minute per key id or network, with their number. */
export function createSecurityEventLog(log: Logger): ReportEvent {
  const sources = new Map<string, { since: number; events: number }>();
  const advised = new Set<SecurityEvent>();
  let evictedAt = Number.NEGATIVE_INFINITY;
  /** Returns whether there is room for a new source. */
  const evictOld = (now: number): boolean => {
    if (now - evictedAt < EVICT_EVERY_MS) return false;
    evictedAt = now;
    for (const [name, { since }] of sources) if (now - since >= LOG_EVERY_MS) sources.delete(name);
    return sources.size < MAX_SOURCES;
  };
  return (event, source) => {
    const fields = "keyId" in source ? { key: source.keyId } : { network: coarseNetworkOf(source.address) };
    const name = `${event} ${Object.values(fields)[0]}`;
    const now = performance.now();
    const known = sources.get(name);
    if (known !== undefined && now - known.since < LOG_EVERY_MS) {
      known.events += 1;
      return;
    }
    if (known === undefined && sources.size >= MAX_SOURCES && !evictOld(now)) return;
    const advice = advised.has(event) ? undefined : ADVICE[event];
    advised.add(event);
    log.warn({ security: event, ...fields, events: 1 + (known?.events ?? 0), advice }, "security");
    sources.set(name, { since: now, events: 0 });
  };
}

/** The network of an address, IPv4 /24 or IPv6 /48. The full address would be personal data. */
export function coarseNetworkOf(address = "unknown"): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (isIPv4(plain)) return plain.replace(/\.\d+$/, ".0/24");
  if (!plain.includes(":")) return "unknown";
  const [head = ""] = plain.split("::");
  const groups = [...head.split(":").filter((group) => group !== ""), "0", "0", "0"].slice(0, 3);
  return `${groups.join(":")}::/48`;
}
