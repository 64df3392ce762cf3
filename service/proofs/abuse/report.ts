import { printOrigin, writeFigures } from "../write-figures.ts";
import type { GoodReport } from "./good-client.ts";
import type { HitRatio } from "./hit-ratio.ts";
import { type AttackResult, p99Limit, TARGETS } from "./targets.ts";

export type AbuseReport = {
  size: number;
  largest_asset: string;
  idle: GoodReport;
  attacks: AttackResult[];
  cache: HitRatio;
  not_met: string[];
};

const MAX_LINE_LENGTH = 100;

export const writeReport = (report: AbuseReport): Promise<void> => writeFigures("abuse", printReport(report));

export function printReport({ idle, attacks, cache }: AbuseReport): string {
  const missed = attacks.filter((attack) => attack.not_met.length > 0);
  const last = attacks.at(-1)?.memory_mib;
  const summary = [
    `${printOrigin()} Without an attack: p50 ${idle.p50_ms} ms, p99 ${idle.p99_ms} ms,`,
    `max ${idle.max_ms} ms over ${idle.lookups} look-ups, so the limit for p99 is ${p99Limit(idle)} ms. All targets were met`,
    `under ${attacks.length - missed.length} of ${attacks.length} attacks.`,
    `The cache answered ${Math.round(cache.hit_ratio * 100)} % of ${cache.lookups.toLocaleString("en")} look-ups after the`,
    `flood of pages past the end (target: ${TARGETS.hitRatio * 100} %).`,
    `The last server had ${last?.warm} MiB after its warm-up and ${last?.after} MiB after the last attack.`,
  ];
  return [
    wrap(summary.join(" ")),
    "",
    ...HEAD,
    ...attacks.map(formatRow),
    "",
    ...(missed.length > 0 ? ["Not met:", "", ...missed.map(printMissed), ""] : []),
  ].join("\n");
}

const HEAD = [
  "| Attack | Connections (refused) | Requests | p50 ms | p99 ms | max ms | Failed look-ups | Failed readiness | Memory before, during, after (MiB) | Met |",
  "|---|---|---|---|---|---|---|---|---|---|",
];

function formatRow({ description, attacker, good, memory_mib, not_met }: AttackResult): string {
  const number = (count: number | undefined) => count?.toLocaleString("en") ?? "?";
  const cells = [
    description,
    `${number(attacker?.attempts)} (${number(attacker?.refused)})`,
    number(attacker?.requests),
    good.p50_ms,
    good.p99_ms,
    good.max_ms,
    `${good.failures} of ${good.lookups}`,
    `${good.readiness_failures} of ${good.readiness}`,
    `${memory_mib.before}, ${memory_mib.during}, ${memory_mib.after}`,
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
