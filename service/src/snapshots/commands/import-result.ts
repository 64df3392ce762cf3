import {
  formatCount,
  formatDuration,
  formatLines,
  formatNumber,
  formatPassports,
  formatPeople,
  formatStanding,
} from "#core/terminal/output.ts";
import { formatRate } from "#core/terminal/progress.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { describeUnited } from "#decisions/commands/decisions.ts";
import type { United } from "#decisions/unite.ts";
import type { Refreshed } from "#list/manage/refresh-standing.ts";
import type { Imported } from "#snapshots/import/import-run.ts";

export type ImportResult = Imported & {
  dry_run: boolean;
  lines: number;
  duration_ms: number;
  decisions: United | null;
  rejects: string | null;
  standing: Refreshed | null;
};

export function describeImport(result: ImportResult): string {
  const row = (name: string, count: number, note = "") =>
    `  ${name.padEnd(10)} ${formatNumber(count).padStart(12)}${note}`;
  return formatLines(
    `${result.dry_run ? "Compared" : "Read"} ${formatCount(result.lines, "line")} in ${formatDuration(result.duration_ms)}, ${formatRate(result.lines, result.duration_ms)}.${result.dry_run ? " Nothing was written to the database. An import would give:" : ""}`,
    row("added", result.added),
    row("changed", result.changed),
    row("unchanged", result.unchanged),
    row("refused", result.refused, result.rejects === null ? "" : `  in "${result.rejects}", with reasons`),
    ...describeReasons(result),
    row("erased", result.erased, result.erased === 0 ? "" : "  left out: they were erased here"),
    ...describeErased(result),
    ...describeContested(result),
    result.standing && formatStanding(result.standing),
  );
}

/** Limits of the text. --json has all ids; the rejects file has all reasons. */
const MAX_IDS = 20;
const MAX_REASONS = 5;
const MAX_WALLETS = 5;

function describeReasons({ reasons, other_reasons }: ImportResult): string[] {
  const sorted = Object.entries(reasons).sort(([, a], [, b]) => b - a);
  const row = (count: number, text: string) => `${formatNumber(count).padStart(23)}  ${text}`;
  const others = sorted.slice(MAX_REASONS).reduce((total, [, count]) => total + count, other_reasons);
  return [
    ...sorted.slice(0, MAX_REASONS).map(([reason, count]) => row(count, printable(reason))),
    ...(others > 0 ? [row(others, "other reasons: see the rejects file")] : []),
  ];
}

function describeErased({ wallets_removed, lost_main_wallets, lost_main, decisions, dry_run }: ImportResult) {
  return [
    wallets_removed > 0 && `Left out of other records: ${formatCount(wallets_removed, "wallet")} of erased people.`,
    lost_main_wallets > 0 &&
      `Of these, the main wallet of ${formatPeople(lost_main_wallets)}: ${formatPassports(lost_main, MAX_IDS)}. If they are the same person, erase them too.`,
    decisions !== null && decisions.added > 0 && `Decisions of the snapshot: ${describeUnited(decisions, dry_run)}`,
  ];
}

function describeContested({ contested, contested_wallets }: Imported): string[] {
  if (contested_wallets === 0) return [];
  const listed = contested.slice(0, MAX_WALLETS);
  return [
    `${formatCount(contested_wallets, "wallet")} listed by several people; the owner is the lowest passport_id:`,
    ...listed.map(
      ({ address, leads_to, claims, claimed_by }) =>
        `  ${printable(address)} is owned by ${leads_to}, listed by ${claimed_by.join(", ")}${claims > claimed_by.length ? ", …" : ""}`,
    ),
    ...(contested_wallets > listed.length ? ["  …  (--json lists up to a hundred)"] : []),
  ];
}
