import { readFile, writeFile } from "node:fs/promises";
import type { Results } from "./run-bench.ts";

// The baseline is a committed set of ratios to compare a run with, by hand. They are ratios of CPU
// time, the most stable measure on a shared machine.

type Baseline = Record<string, number>;

/** The fraction by which a ratio may fall below its baseline. */
const MAX_FALL = 0.3;

const LIMIT_CASES = {
  "warm by id": "limit: a passport's size",
  "cold by id": "limit: a passport's size",
  "cold by wallet": "limit: a passport's size",
  "cold credentials": "limit: credentials' size",
} as const;

/** The CPU time of the limit divided by that of the service, for each kind of look-up. */
function ratiosOf({ cases }: Results): Baseline {
  const cpu = (name: string) => cases[name]?.nodeMicroseconds?.median ?? Number.NaN;
  return Object.fromEntries(
    Object.entries(LIMIT_CASES).map(([name, limit]) => [name, Math.round((1_000 * cpu(limit)) / cpu(name)) / 1_000]),
  );
}

/** Returns a line for each ratio that is too far below the baseline. */
export async function compareWithBaseline(file: string, results: Results): Promise<string[]> {
  const baseline = JSON.parse(await readFile(file, "utf8")) as Baseline;
  const ratios = ratiosOf(results);
  return Object.entries(baseline).flatMap(([name, expected]) => {
    const ratio = ratios[name] ?? 0;
    const min = expected * (1 - MAX_FALL);
    return ratio >= min ? [] : [`${name} / the limit: ${ratio}, baseline ${expected}, minimum ${min.toFixed(3)}`];
  });
}

export const writeBaseline = (file: string, results: Results): Promise<void> =>
  writeFile(file, `${JSON.stringify(ratiosOf(results), null, 2)}\n`);
