import { printOrigin, writeFigures } from "../write-figures.ts";
import type { AttackResult, Round } from "./targets.ts";

export type AbuseReport = {
  size: number;
  largest_asset: string;
  idle: Round["good"];
  attacks: AttackResult[];
  /** False alarms of the heartbeat: each one empties the cache. */
  lost_notices: number;
  not_met: string[];
};

const MAX_LINE_LENGTH = 100;

export const writeReport = (report: AbuseReport): Promise<void> => writeFigures("abuse", printReport(report));

function printReport({ idle, attacks, lost_notices }: AbuseReport): string {
  const missed = attacks.filter((attack) => attack.not_met.length > 0);
  const last = attacks.at(-1)?.memory_mib;
  const summary = [
    `${printOrigin()} Without an attack: p50 ${idle.p50_ms} ms, p99 ${idle.p99_ms} ms, control ${idle.control.p99_ms} ms,`,
    `max ${idle.max_ms} ms over ${idle.lookups} look-ups.`,
    `All targets were met under ${attacks.length - missed.length} of ${attacks.length} attacks.`,
    `False alarms of the connection for notices: ${lost_notices}.`,
    `The node had ${attacks[0]?.memory_mib.before} MiB before the first attack and ${last?.after} MiB after the last.`,
  ];
  return [
    wrap(summary.join(" ")),
    "",
    `| ${HEAD.join(" | ")} |`,
    `|${"---|".repeat(HEAD.length)}`,
    ...attacks.map(formatRow),
    "",
    ...(missed.length > 0 ? ["Not met:", "", ...missed.map(printMissed), ""] : []),
  ].join("\n");
}

// biome-ignore format: the columns of a row
const HEAD = [
  "Attack", "Connections (refused)", "Requests", "p99 ms", "Above control ms", "Failed look-ups", "Other failures",
  "Memory of the node after, MiB", "Met",
];

/** The main figures. The result of the proof has all. */
function formatRow(result: AttackResult): string {
  const number = (count: number | undefined) => count?.toLocaleString("en") ?? "?";
  const measured = (ms: number | null) => ms ?? "not measured";
  const { description, attacker, memory_mib, not_met } = result;
  const cells = [
    description,
    `${number(attacker?.attempts)} (${number(attacker?.refused)})`,
    number(attacker?.requests),
    measured(result.p99_ms),
    measured(result.over_control_ms),
    `${result.failures} of ${result.lookups}`,
    result.list_failures + result.readiness_failures,
    memory_mib.after,
    not_met.length === 0 ? "yes" : "**no**",
  ];
  return `| ${cells.join(" | ")} |`;
}

const printMissed = ({ description, not_met }: AttackResult): string =>
  wrap(`- ${description}: ${not_met.join("; ")}.`, "  ");

function wrap(text: string, indent = ""): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + word.length < MAX_LINE_LENGTH) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(indent + word);
  }
  return lines.join("\n");
}
