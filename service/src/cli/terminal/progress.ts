import { paint, printCount, printDuration, say } from "./output.ts";

const LINE_EVERY_MS = 10_000;
const REDRAW_EVERY_MS = 100;
const BAR_CELLS = 16;

/** How far a job has come: how many people, null if it does not count them; and which part of the whole, null if nobody knows. */
export type Progress = { people: number | null; fraction: number | null };

/** Shows how far a long job has come: one line redrawn on a terminal, elsewhere a line every ten seconds. */
export function showProgress(verb: string): { update: (progress: Progress) => void; end: () => void } {
  const terminal = process.stderr.isTTY;
  const started = performance.now();
  let shown = started;
  return {
    update(progress) {
      const now = performance.now();
      if (now - shown < (terminal ? REDRAW_EVERY_MS : LINE_EVERY_MS)) return;
      shown = now;
      const line = describe(verb, progress, now - started);
      // A line that wraps cannot be redrawn.
      const room = (process.stderr.columns || 80) - 1 - (progress.fraction === null ? 0 : BAR_CELLS + 1);
      if (terminal) process.stderr.write(`\r\x1b[K${bar(progress.fraction)}${line.slice(0, Math.max(0, room))}`);
      else say(line);
    },
    end() {
      if (terminal) process.stderr.write("\r\x1b[K");
    },
  };
}

function describe(verb: string, { people, fraction }: Progress, elapsedMs: number): string {
  const parts =
    people === null ? [verb] : [`${verb} ${printCount(people, "person", "people")}`, printRate(people, elapsedMs)];
  if (fraction !== null && fraction > 0.01) {
    parts.push(`${Math.floor(fraction * 100)} %`, `${printDuration((elapsedMs * (1 - fraction)) / fraction)} left`);
  }
  return parts.join(", ");
}

function printRate(people: number, elapsedMs: number): string {
  return printCount(Math.round((people * 1_000) / Math.max(1, elapsedMs)), "a second", "a second");
}

function bar(fraction: number | null): string {
  if (fraction === null) return "";
  const full = Math.round(Math.min(1, fraction) * BAR_CELLS);
  return `${paint("cyan", "━".repeat(full))}${paint("dim", "╌".repeat(BAR_CELLS - full))} `;
}
