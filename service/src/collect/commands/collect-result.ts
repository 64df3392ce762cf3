import type { Counts } from "#collect/report.ts";
import type { Collected } from "#collect/write-collected.ts";
import { formatCount, formatLines, formatNumber, formatPassports, formatPeople } from "#core/terminal/output.ts";
import { printable } from "#core/terminal/unprintable.ts";

const MAX_REASONS = 8;
const NAMES: Record<keyof Counts, string> = {
  collected: "collected",
  incomplete: "incomplete",
  rejected: "rejected",
  disappeared: "disappeared",
  failed: "failed",
  erased: "erased",
  tie: "ties",
};

/** The summary of a collection. The report file has every id. */
export function describeCollected(result: Collected, out: string, report: string): string {
  const { counts, examples, reasons, manifest, kept } = result;
  const outcomes = Object.keys(NAMES) as (keyof Counts)[];
  return formatLines(
    `Wrote ${formatPeople(manifest.people)} with ${formatCount(manifest.credentials, "credential")} to "${out}".`,
    ...outcomes
      .filter((outcome) => counts[outcome] > 0 || outcome === "collected")
      .map((outcome) => {
        const ids = examples[outcome] ?? [];
        const more = counts[outcome] > ids.length && ids.length > 0 ? ", …" : "";
        const list = ids.length === 0 ? "" : `  ${formatPassports(ids)}${more}`;
        return `  ${NAMES[outcome].padEnd(12)} ${formatNumber(counts[outcome]).padStart(12)}${list}`;
      }),
    ...reasons
      .slice(0, MAX_REASONS)
      .map(([reason, count]) => `${formatNumber(count).padStart(27)}  ${printable(reason)}`),
    kept.people > 0 &&
      `Of these, ${formatPeople(kept.people)} keep the record of --since, until it is 30 days old; the oldest is ${formatCount(kept.oldest_days, "day")} old.`,
    `Every id and reason: ${report}`,
  );
}

/** By field, how many people had null. */
export function describeReplaced(replaced: Readonly<Record<string, number>>): string[] {
  const fields = Object.entries(replaced);
  if (fields.length === 0) return [];
  return ["Null was replaced:", ...fields.map(([field, people]) => `${formatNumber(people).padStart(12)}  ${field}`)];
}

/** Whether somebody should read the report. */
export const needsAttention = ({ rejected, failed, tie }: Counts): boolean => rejected + failed + tie > 0;
