import { readFile, writeFile } from "node:fs/promises";
import type { Results } from "./run-bench.ts";

// A committed run of ratios to compare with, by hand: by processor time, the steadiest figure on machines that are shared.

export type Baseline = Record<string, number>;

/** How much worse than the baseline a ratio may be. */
const LARGEST_FALL = 0.3;

const PAIRS = {
  "warm by id": "limit: a passport's size",
  "cold by id": "limit: a passport's size",
  "cold by wallet": "limit: a passport's size",
  "cold credentials": "limit: credentials' size",
} as const;

/** The limit's processor time over ours, for each way to ask. */
function ratiosOf({ cases }: Results): Baseline {
  const cpu = (name: string) => cases[name]?.nodeMicroseconds?.median ?? Number.NaN;
  return Object.fromEntries(
    Object.entries(PAIRS).map(([ours, limit]) => [ours, Math.round((1_000 * cpu(limit)) / cpu(ours)) / 1_000]),
  );
}

/** One line for each ratio that has fallen too far. */
export async function compareWithBaseline(file: string, results: Results): Promise<string[]> {
  const baseline = JSON.parse(await readFile(file, "utf8")) as Baseline;
  const now = ratiosOf(results);
  return Object.entries(baseline).flatMap(([name, before]) => {
    const ratio = now[name] ?? 0;
    const least = before * (1 - LARGEST_FALL);
    return ratio >= least
      ? []
      : [`${name} / the limit: ${ratio}, was ${before}; at least ${least.toFixed(3)} is wanted.`];
  });
}

export const writeBaseline = (file: string, results: Results): Promise<void> =>
  writeFile(file, `${JSON.stringify(ratiosOf(results), null, 2)}\n`);
