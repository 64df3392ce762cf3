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
import type { Refreshed } from "#list/manage/refresh-standing.ts";
import type { OptOutsApplied } from "#privacy/apply-opt-outs.ts";
import type { Imported } from "#snapshots/import/import-run.ts";

export type ImportResult = Imported & {
  dry_run: boolean;
  lines: number;
  duration_ms: number;
  opt_outs: Omit<OptOutsApplied, "foreignKeys">;
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
    row("opted out", result.opted_out),
    ...describeOptOuts(result),
    result.kept_hidden > 0 &&
      `Kept hidden: ${formatPeople(result.kept_hidden)}. They hid by signature, and lines of this import would have shown them.`,
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

function describeOptOuts({ opt_outs, erased: byLines, wallets_dropped, dry_run }: ImportResult) {
  const { taken } = opt_outs;
  const erased = [...opt_outs.erased, ...byLines];
  const dropped = wallets_dropped + opt_outs.wallets_dropped;
  return [
    taken > 0 && `${formatCount(taken, "opt-out")} in the snapshot.`,
    erased.length > 0 &&
      `${dry_run ? "To be erased" : "Erased"} because of opt-outs: ${formatPeople(erased.length)}, ${formatPassports(erased, MAX_IDS)}.`,
    dropped > 0 && `Removed from other people because of opt-outs: ${formatCount(dropped, "wallet")}.`,
    dry_run && taken > 0 && "A dry run matches opt-outs by passport id only, not by the wallets of stored people.",
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
