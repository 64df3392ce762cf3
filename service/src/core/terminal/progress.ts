import { formatDuration, formatNumber, formatPeople, paint, printMessage } from "./output.ts";
import type { OutputStream, Terminal } from "./terminal.ts";

const LINE_EVERY_MS = 10_000;
const REDRAW_EVERY_MS = 100;
const BAR_CELLS = 16;
/** Rates and the time left are those of the last seconds. */
const RATE_MS = 10_000;

/** `people` is null for a job that does not count people; `total` is null if unknown. */
export type UpdateProgress = (people: number | null, done?: number, total?: number | null) => void;

/** Shows the progress of a long job: a redrawn line on a terminal, else a line per ten seconds. */
export async function withProgress<Result>(
  terminal: Terminal,
  verb: string,
  work: (update: UpdateProgress) => Promise<Result>,
  format: (count: number) => string = formatPeople,
): Promise<Result> {
  const { stderr } = terminal;
  const isRedrawn = stderr.isTTY ?? false;
  const startedAt = performance.now();
  let shownAt = startedAt;
  const pace = createPace(startedAt);
  const update: UpdateProgress = (people, done = 0, total = null) => {
    const now = performance.now();
    if (now - shownAt < (isRedrawn ? REDRAW_EVERY_MS : LINE_EVERY_MS)) return;
    shownAt = now;
    const fraction = total ? done / total : null;
    const perMs = pace(now, done || (people ?? 0));
    const parts = [people === null ? verb : `${verb} ${format(people)}`];
    if (people !== null) parts.push(formatRate(perMs * 1_000, 1_000));
    if (total && fraction !== null && fraction > 0.01 && perMs > 0) {
      parts.push(`${Math.floor(fraction * 100)} %`, `${formatDuration((total - done) / perMs)} left`);
    }
    const line = parts.join(", ");
    if (!isRedrawn) return printMessage(terminal, line);
    // A line that wraps cannot be redrawn.
    const columns = (stderr.columns || 80) - 1 - (fraction === null ? 0 : BAR_CELLS + 1);
    stderr.write(`\r\x1b[K${bar(fraction, stderr)}${line.slice(0, Math.max(0, columns))}`);
  };
  try {
    return await work(update);
  } finally {
    if (isRedrawn) stderr.write("\r\x1b[K");
  }
}

/** How much was done per millisecond, in the last seconds. */
function createPace(startedAt: number): (now: number, done: number) => number {
  const marks = [{ at: startedAt, done: 0 }];
  return (now, done) => {
    marks.push({ at: now, done });
    while (marks.length > 2 && now - (marks[1]?.at ?? now) >= RATE_MS) marks.shift();
    const first = marks[0] ?? { at: now, done };
    return (done - first.done) / Math.max(1, now - first.at);
  };
}

/** "1,200 a second". */
export function formatRate(count: number, elapsedMs: number): string {
  return `${formatNumber(Math.round((count * 1_000) / Math.max(1, elapsedMs)))} a second`;
}

function bar(fraction: number | null, stream: OutputStream): string {
  if (fraction === null) return "";
  const full = Math.round(Math.min(1, fraction) * BAR_CELLS);
  return `${paint("cyan", "━".repeat(full), stream)}${paint("dim", "╌".repeat(BAR_CELLS - full), stream)} `;
}
