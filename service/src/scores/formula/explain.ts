import type { Difference } from "./differences.ts";
import { isCounted } from "./score.ts";

/** The change of a score, and the part of it that the changed credentials do not explain. */
export type Explanation = { by: number; unexplained: number };

type Change = Pick<Difference, "category" | "from" | "to">;

/** Returns the change of the score by a credential, or null if its category is not counted. */
export function explainCredential({ category, from, to }: Change): number | null {
  return isCounted(category) ? toMillionths((to ?? 0) - (from ?? 0)) : null;
}

/** A null score counts as 0. `unexplained` is 0 if both scores are sums of credentials. */
export function explainChange(from: number | null, to: number | null, credentials: readonly Change[]): Explanation {
  const by = (to ?? 0) - (from ?? 0);
  const explained = credentials.reduce((sum, credential) => sum + (explainCredential(credential) ?? 0), 0);
  return { by: toMillionths(by), unexplained: toMillionths(by - explained) };
}

/** Removes the rounding error of sums of doubles. Adding 0 converts -0 to 0. */
const toMillionths = (points: number): number => Number(points.toFixed(6)) + 0;
