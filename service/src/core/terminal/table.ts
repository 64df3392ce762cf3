import { paint } from "./output.ts";
import type { OutputStream } from "./terminal.ts";
import { printable } from "./unprintable.ts";

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const MIN_BAR_COLUMNS = 8;
const MAX_BAR_COLUMNS = 40;
/** The width if stdout is not a terminal. */
const DEFAULT_COLUMNS = 100;

/** `isNumber`: aligned to the right. A longer text than `max` is cut. */
export type Column = { title: string; isNumber?: boolean; max?: number };

/**
 * Formats rows as columns. With `bars`, each row ends in a bar that is proportional to its number, if
 * the terminal is wide enough.
 */
export function formatTable(
  stdout: OutputStream,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  bars: readonly number[] = [],
): string {
  const cells = [columns.map(({ title }) => title), ...rows].map((row) =>
    row.map((text, index) => cut(printable(text), columns[index]?.max)),
  );
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => lengthOf(row[index] ?? ""))));
  const width = widths.reduce((sum, columnWidth) => sum + columnWidth + 2, 0);
  const room = Math.min(MAX_BAR_COLUMNS, (stdout.columns ?? DEFAULT_COLUMNS) - width - 1);
  const largest = Math.max(...bars, 0);
  const lines = cells.map((row, number) => {
    const texts = row.map((text, index) => {
      const blanks = " ".repeat((widths[index] as number) - lengthOf(text));
      return columns[index]?.isNumber ? blanks + text : text + blanks;
    });
    const value = bars[number - 1];
    const bar = value === undefined || room < MIN_BAR_COLUMNS ? "" : formatBar(value / largest, room);
    return `${texts.join("  ")}  ${paint("cyan", bar, stdout)}`.trimEnd();
  });
  return [paint("dim", lines[0] ?? "", stdout), ...lines.slice(1)].join("\n");
}

const lengthOf = (text: string): number => [...text].length;

const cut = (text: string, max = Number.POSITIVE_INFINITY): string =>
  lengthOf(text) <= max ? text : `${[...text].slice(0, max - 1).join("")}…`;

function formatBar(share: number, columns: number): string {
  const eighths = Math.max(share > 0 ? 1 : 0, Math.round(share * columns * 8));
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}
