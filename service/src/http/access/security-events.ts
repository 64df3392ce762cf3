import { isIPv4 } from "node:net";
import type { Logger } from "pino";

/** Something an operator may want to look into. */
type SecurityEvent =
  | "a revoked or expired key was used"
  | "an unknown key was refused"
  | "a key was sent in a URL"
  | "connections of one address were refused";

export type ReportEvent = (event: SecurityEvent, source: { keyId: string } | { address: string | undefined }) => void;

const ONCE_EVERY_MS = 60_000;
const FORGET_EVERY_MS = 1_000;
/** Sources that are remembered. When there are more, new ones are not logged until old ones are a minute old. */
const MOST_SOURCES = 1_000;

/** Logs security events, once a minute for each key id or network, with how many there were since the last line. */
export function createSecurityEventLog(log: Logger): ReportEvent {
  const seen = new Map<string, { since: number; events: number }>();
  let forgottenAt = Number.NEGATIVE_INFINITY;
  /** True if there is room again. At most once a second, as it looks at all of them. */
  const forgetOld = (now: number): boolean => {
    if (now - forgottenAt < FORGET_EVERY_MS) return false;
    forgottenAt = now;
    for (const [name, { since }] of seen) if (now - since >= ONCE_EVERY_MS) seen.delete(name);
    return seen.size < MOST_SOURCES;
  };
  return (event, source) => {
    const about = "keyId" in source ? { key: source.keyId } : { network: networkOf(source.address) };
    const name = `${event} ${Object.values(about)[0]}`;
    const now = performance.now();
    const known = seen.get(name);
    if (known !== undefined && now - known.since < ONCE_EVERY_MS) {
      known.events += 1;
      return;
    }
    if (known === undefined && seen.size >= MOST_SOURCES && !forgetOld(now)) return;
    log.warn({ security: event, ...about, events: 1 + (known?.events ?? 0) }, "security");
    seen.set(name, { since: now, events: 0 });
  };
}

/** The network of an address, IPv4 /24 or IPv6 /48: enough to act on, and not a person's address. */
export function networkOf(address = "unknown"): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (isIPv4(plain)) return plain.replace(/\.\d+$/, ".0/24");
  if (!plain.includes(":")) return "unknown";
  const [head = ""] = plain.split("::");
  const groups = [...head.split(":").filter((group) => group !== ""), "0", "0", "0"].slice(0, 3);
  return `${groups.join(":")}::/48`;
}
