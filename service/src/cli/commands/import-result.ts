import { printCount, printDuration, printNumber } from "#cli/terminal/output.ts";
import { printable } from "#identity/unprintable.ts";
import type { OptOutsApplied } from "#operations/holders/apply-opt-outs.ts";
import type { Imported } from "#operations/import/import-run.ts";
import type { Refreshed } from "#operations/standing/refresh-standing.ts";

export type ImportResult = Imported & {
  dry_run: boolean;
  lines: number;
  duration_ms: number;
  opt_outs: Omit<OptOutsApplied, "foreignKeys">;
  rejects: string | null;
  standing: Refreshed | null;
};

export function describeImport(result: ImportResult): string {
  const rate = Math.round((result.lines * 1_000) / Math.max(1, result.duration_ms));
  const row = (name: string, count: number, note = "") =>
    `  ${name.padEnd(10)} ${printNumber(count).padStart(12)}${note}`;
  return [
    `${result.dry_run ? "Compared" : "Read"} ${printCount(result.lines, "line")} in ${printDuration(result.duration_ms)}, ${printCount(rate, "a second", "a second")}.${result.dry_run ? " Nothing was written to the database. It would be:" : ""}`,
    row("added", result.added),
    row("changed", result.changed),
    row("unchanged", result.unchanged),
    row("refused", result.refused, result.rejects === null ? "" : `  in ${result.rejects}, with reasons`),
    ...describeReasons(result),
    row("opted out", result.opted_out),
    ...describeOptOuts(result),
    ...describeContested(result),
    ...(result.standing === null
      ? []
      : [
          `The list shows ${printCount(result.standing.total, "person", "people")}, built in ${printDuration(result.standing.build_ms)}.`,
        ]),
  ].join("\n");
}

/** How many ids of erased people are printed; --json and `audit` have all of them. */
const IDS_TOLD = 20;

const listIds = (ids: readonly number[]): string =>
  `${ids.length === 1 ? "passport" : "passports"} ${ids.slice(0, IDS_TOLD).join(", ")}${ids.length > IDS_TOLD ? ` and ${ids.length - IDS_TOLD} more` : ""}`;

const TOLD = 5;

function describeReasons({ reasons, other_reasons }: ImportResult): string[] {
  const most = Object.entries(reasons).sort(([, one], [, other]) => other - one);
  const row = (count: number, text: string) => `${printNumber(count).padStart(23)}  ${text}`;
  const left = most.slice(TOLD).reduce((total, [, count]) => total + count, other_reasons);
  return [
    ...most.slice(0, TOLD).map(([reason, count]) => row(count, printable(reason))),
    ...(left > 0 ? [row(left, "more, of other kinds: the rejects file has all of them")] : []),
  ];
}

function describeOptOuts({ opt_outs, erased: byLines, wallets_dropped, dry_run }: ImportResult): string[] {
  const { taken } = opt_outs;
  const erased = [...opt_outs.erased, ...byLines];
  const dropped = wallets_dropped + opt_outs.wallets_dropped;
  return [
    ...(taken > 0 ? [`${printCount(taken, "opt-out")} in the snapshot.`] : []),
    ...(erased.length > 0
      ? [
          `${dry_run ? "To be erased" : "Erased"} because of opt-outs: ${printCount(erased.length, "person", "people")}, ${listIds(erased)}.`,
        ]
      : []),
    ...(dropped > 0 ? [`Left out because they opted out: ${printCount(dropped, "wallet")} of others.`] : []),
    ...(dry_run && taken > 0
      ? ["A dry run finds them by id; it does not look for their wallets among the people held."]
      : []),
  ];
}

function describeContested({ contested, contested_wallets }: Imported): string[] {
  if (contested_wallets === 0) return [];
  const told = contested.slice(0, TOLD);
  return [
    `${printCount(contested_wallets, "wallet")} listed by several people; each leads to the lowest passport_id:`,
    ...told.map(
      ({ address, leads_to, claims, claimed_by }) =>
        `  ${printable(address)} leads to ${leads_to}, of ${claimed_by.join(", ")}${claims > claimed_by.length ? ", …" : ""}`,
    ),
    ...(contested_wallets > told.length ? ["  …  (--json tells up to a hundred)"] : []),
  ];
}
