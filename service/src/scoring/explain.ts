import type { Difference } from "./differences.ts";
import { isCounted } from "./score.ts";

/** By how much a score changed, and how much of that the credentials do not tell. */
export type Explanation = { by: number; unexplained: number };

/** No score counts as 0. What remains unexplained: a score that did not add up before, or does not now. */
export function explainChange(
  from: number | null,
  to: number | null,
  credentials: readonly Pick<Difference, "category" | "from" | "to">[],
): Explanation {
  const by = (to ?? 0) - (from ?? 0);
  const told = credentials
    .filter(({ category }) => isCounted(category))
    .reduce((sum, difference) => sum + ((difference.to ?? 0) - (difference.from ?? 0)), 0);
  return { by: toMillionths(by), unexplained: toMillionths(by - told) };
}

/** Without what adding doubles leaves behind, nor a zero below zero. */
const toMillionths = (points: number): number => Number(points.toFixed(6)) + 0;
