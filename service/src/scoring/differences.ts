import type { Credential } from "@credence/contract/credential.ts";
import { toScore } from "./points.ts";
import { pointsOf } from "./score.ts";

/** How a credential's points changed: from null when it came, to null when it went. */
export type Difference = { id: string; name: string; category: string; from: number | null; to: number | null };

export type Counted = Pick<Credential, "id" | "name" | "category" | "score" | "max_score">;

/** Which credentials came, went, or count for something else than before. */
export function findDifferences(before: readonly Counted[], after: readonly Counted[]): Difference[] {
  const was = new Map(before.map((credential) => [credential.id, credential]));
  const is = new Map(after.map((credential) => [credential.id, credential]));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((id) => compare(was.get(id), is.get(id)));
}

function compare(was: Counted | undefined, is: Counted | undefined): Difference[] {
  // One that changed its category went from there and came here.
  if (was !== undefined && is !== undefined && was.category !== is.category) {
    return [...compare(was, undefined), ...compare(undefined, is)];
  }
  const shown = is ?? was;
  if (shown === undefined) return [];
  const [from, to] = [count(was), count(is)];
  return from === to ? [] : [{ id: shown.id, name: shown.name, category: shown.category, from, to }];
}

const count = (credential: Counted | undefined): number | null =>
  credential === undefined ? null : toScore(pointsOf(credential));

/** Several changes, one after the other, as one: what came and went again is no change. */
export function joinDifferences(inOrder: readonly (readonly Difference[])[]): Difference[] {
  const joined = new Map<string, Difference>();
  for (const difference of inOrder.flat()) {
    const key = JSON.stringify([difference.id, difference.category]);
    joined.set(key, { ...difference, from: (joined.get(key) ?? difference).from });
  }
  return [...joined.values()].filter(({ from, to }) => from !== to);
}
