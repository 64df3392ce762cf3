import type { Credential } from "@credence/contract/credential.ts";
import { toScore } from "./fixed-point.ts";
import { pointsOf } from "./score.ts";

/** A change of points. `from` is null for an added credential, `to` for a removed one. */
export type Difference = { id: string; name: string; category: string; from: number | null; to: number | null };

export type Counted = Pick<Credential, "id" | "name" | "category" | "score" | "max_score">;

/** Returns the credentials that were added or removed, or whose points changed. */
export function findDifferences(before: readonly Counted[], after: readonly Counted[]): Difference[] {
  const oldById = new Map(before.map((credential) => [credential.id, credential]));
  const newById = new Map(after.map((credential) => [credential.id, credential]));
  const ids = new Set([...oldById.keys(), ...newById.keys()]);
  return [...ids].flatMap((id) => compare(oldById.get(id), newById.get(id)));
}

function compare(before: Counted | undefined, after: Counted | undefined): Difference[] {
  // A change of category is a removal from the old category and an addition to the new one.
  if (before !== undefined && after !== undefined && before.category !== after.category) {
    return [...compare(before, undefined), ...compare(undefined, after)];
  }
  const credential = after ?? before;
  const [from, to] = [countedScore(before), countedScore(after)];
  if (credential === undefined || from === to) return [];
  return [{ id: credential.id, name: credential.name, category: credential.category, from, to }];
}

const countedScore = (credential: Counted | undefined): number | null =>
  credential === undefined ? null : toScore(pointsOf(credential));

/** Joins consecutive differences. An addition and its later removal cancel out. */
export function joinDifferences(inOrder: readonly (readonly Difference[])[]): Difference[] {
  const joined = new Map<string, Difference>();
  for (const difference of inOrder.flat()) {
    const key = JSON.stringify([difference.id, difference.category]);
    joined.set(key, { ...difference, from: (joined.get(key) ?? difference).from });
  }
  return [...joined.values()].filter(({ from, to }) => from !== to);
}
