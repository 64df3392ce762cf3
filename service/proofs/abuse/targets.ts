import type { GoodReport } from "./good-client.ts";
import type { Counts } from "./raw-connections.ts";

// The service level for a good client during an attack.

export const TARGETS = { p99Ms: 50, p99TimesIdle: 5, memoryGrowth: 0.2, hitRatio: 0.95 };

export type AttackResult = {
  name: string;
  description: string;
  /** Null if the attacker was stopped early. */
  attacker: Counts | null;
  /** Whether the attacker was stopped because the server used too much memory. */
  stopped: boolean;
  good: GoodReport;
  /** `warm`: after the warm-up of this server. Several attacks can share a server. */
  memory_mib: { warm: number; before: number; during: number; after: number };
  settled_seconds: number;
  /** Null if the server recovered. */
  server: "died" | "not idle again" | null;
  not_met: string[];
};

export const p99Limit = (idle: GoodReport): number => Math.max(TARGETS.p99Ms, TARGETS.p99TimesIdle * idle.p99_ms);

/** Lists the targets that were missed, with the measured values. */
export function listNotMet(result: Omit<AttackResult, "not_met">, idle: GoodReport): string[] {
  const { good, memory_mib, server, stopped } = result;
  const reasons = Object.entries(good.reasons).map(([reason, count]) => `${count} × ${reason}`);
  const growth = memory_mib.after / memory_mib.before - 1;
  return [
    ...(server === null ? [] : [`the server ${server === "died" ? "died" : "was not idle again in time"}`]),
    ...(stopped ? [`stopped because the server used ${memory_mib.during} MiB`] : []),
    ...(good.failures > 0 ? [`${good.failures} of ${good.lookups} look-ups failed (${reasons.join(", ")})`] : []),
    ...(good.p99_ms > p99Limit(idle) ? [`p99 ${good.p99_ms} ms, limit ${p99Limit(idle)} ms`] : []),
    ...(good.readiness_failures > 0 ? [`${good.readiness_failures} of ${good.readiness} readiness checks failed`] : []),
    ...(growth > TARGETS.memoryGrowth ? [`memory ${memory_mib.before} → ${memory_mib.after} MiB`] : []),
  ];
}
