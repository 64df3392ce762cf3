import type { Difference } from "./differences.ts";
import { isCounted } from "./score.ts";

/** By how much a score changed, and how much of that the credentials do not tell. */
export type Explanation = { by: number; unexplained: number };

type Change = Pick<Difference, "category" | "from" | "to">;

/** By how much a credential changed the score; null if its category counts for nothing. */
export function explainCredential({ category, from, to }: Change): number | null {
  return isCounted(category) ? toMillionths((to ?? 0) - (from ?? 0)) : null;
}

/** No score counts as 0. What remains unexplained: a score that did not add up before, or does not now. */
export function explainChange(from: number | null, to: number | null, credentials: readonly Change[]): Explanation {
  const by = (to ?? 0) - (from ?? 0);
  const told = credentials.reduce((sum, credential) => sum + (explainCredential(credential) ?? 0), 0);
  return { by: toMillionths(by), unexplained: toMillionths(by - told) };
}

/** Without what adding doubles leaves behind, nor a zero below zero. */
const toMillionths = (points: number): number => Number(points.toFixed(6)) + 0;
