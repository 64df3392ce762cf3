import type { GoodReport } from "./good-client.ts";
import type { Counts } from "./raw-connections.ts";

// The service level for a good client during an attack.

const TARGETS = { p99OverControlMs: 50, memoryGrowth: 0.2 };

/** Above this p99 of the control, the machine was busy with something else. */
const MAX_CONTROL_MS = 50;
export const ROUNDS = { valid: 5, tried: 15 };

/** An attack of a few seconds. */
export type Round = {
  /** Null if the attacker was stopped early. */
  attacker: Counts | null;
  /** Whether the attacker was stopped because the server used too much memory. */
  stopped: boolean;
  good: GoodReport;
  memory_mib: { before: number; during: number };
  /** The memory of nginx afterwards. */
  proxy_mib: number;
  steal_ms: number;
  /** Null if the server recovered. */
  server: "died" | "not idle again" | null;
};

export type AttackResult = {
  name: string;
  description: string;
  /** The number of valid rounds, and of all rounds. */
  valid: number;
  tried: number;
  /** Medians of the valid rounds. Null: not measured. */
  p50_ms: number | null;
  p99_ms: number | null;
  control_p99_ms: number | null;
  over_control_ms: number | null;
  lists_p99_ms: number | null;
  /** Of all rounds. */
  max_ms: number;
  lookups: number;
  failures: number;
  lists: number;
  list_failures: number;
  readiness_failures: number;
  reasons: Record<string, number>;
  steal_ms: number;
  client_delay_max_ms: number;
  /** Of the last round. */
  attacker: Counts | null;
  memory_mib: { before: number; during: number; after: number };
  proxy_mib: number;
  server: Round["server"];
  not_met: string[];
};

export const isValid = ({ good }: Round): boolean => good.control.p99_ms <= MAX_CONTROL_MS;

/** Summarises the rounds of an attack, and lists the targets that were missed. `minValid`: fewer rounds measure nothing. */
export function summarise(
  { name, description }: { name: string; description: string },
  rounds: readonly Round[],
  afterMiB: number,
  minValid: number,
): AttackResult {
  const valid = rounds.filter(isValid);
  const medianOf = (read: (round: Round) => number): number | null => {
    if (valid.length < minValid) return null;
    const sorted = valid.map(read).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? null;
  };
  const sum = (read: (round: Round) => number): number => rounds.reduce((total, round) => total + read(round), 0);
  const max = (read: (round: Round) => number): number => Math.max(...rounds.map(read));
  const reasons: Record<string, number> = {};
  for (const { good } of rounds) {
    for (const [reason, count] of Object.entries(good.reasons)) reasons[reason] = (reasons[reason] ?? 0) + count;
  }
  const overMs = medianOf(({ good }) => good.p99_ms - good.control.p99_ms);
  const result = {
    ...{ name, description, valid: valid.length, tried: rounds.length, reasons },
    p50_ms: medianOf(({ good }) => good.p50_ms),
    p99_ms: medianOf(({ good }) => good.p99_ms),
    control_p99_ms: medianOf(({ good }) => good.control.p99_ms),
    over_control_ms: overMs === null ? null : Math.round(overMs * 10) / 10,
    lists_p99_ms: medianOf(({ good }) => good.lists_p99_ms),
    max_ms: max(({ good }) => good.max_ms),
    lookups: sum(({ good }) => good.lookups),
    failures: sum(({ good }) => good.failures),
    lists: sum(({ good }) => good.lists),
    list_failures: sum(({ good }) => good.list_failures),
    readiness_failures: sum(({ good }) => good.readiness_failures),
    steal_ms: sum((round) => round.steal_ms),
    client_delay_max_ms: max(({ good }) => good.client_delay_max_ms),
    attacker: rounds.at(-1)?.attacker ?? null,
    memory_mib: {
      before: rounds[0]?.memory_mib.before ?? 0,
      during: max(({ memory_mib }) => memory_mib.during),
      after: afterMiB,
    },
    proxy_mib: max(({ proxy_mib }) => proxy_mib),
    server: rounds.find(({ server }) => server !== null)?.server ?? null,
  };
  return {
    ...result,
    not_met: listNotMet(
      result,
      rounds.some(({ stopped }) => stopped),
    ),
  };
}

function listNotMet(result: Omit<AttackResult, "not_met">, stopped: boolean): string[] {
  const { memory_mib, server, over_control_ms, failures, lookups, readiness_failures } = result;
  const reasons = Object.entries(result.reasons).map(([reason, count]) => `${count} × ${reason}`);
  const growth = memory_mib.after / memory_mib.before - 1;
  return [
    ...(server === null ? [] : [`the server ${server === "died" ? "died" : "was not idle again in time"}`]),
    ...(stopped ? [`stopped because the server used ${memory_mib.during} MiB`] : []),
    ...(failures > 0 ? [`${failures} of ${lookups} look-ups failed (${reasons.join(", ")})`] : []),
    ...(over_control_ms === null ? ["not measured: the machine was busy"] : []),
    ...((over_control_ms ?? 0) > TARGETS.p99OverControlMs ? [`p99 ${over_control_ms} ms above the control`] : []),
    ...(readiness_failures > 0 ? [`${readiness_failures} readiness checks failed`] : []),
    ...(growth > TARGETS.memoryGrowth ? [`memory ${memory_mib.before} → ${memory_mib.after} MiB`] : []),
  ];
}
