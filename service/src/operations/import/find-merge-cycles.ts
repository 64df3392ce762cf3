import type { PreparedPerson } from "#operations/write/prepare-person.ts";
import type { Connection } from "#store/engine/database.ts";
import { listMerges } from "#store/people/merges.ts";

/**
 * Of these people, those whose merge would close a circle with what is stored or with the people before them, each with the reason
 * to refuse them. In a circle nobody survives: all of it would vanish from the list, and its wallets would lead nowhere.
 */
export async function findMergeCircles(
  connection: Connection,
  people: readonly PreparedPerson[],
): Promise<Map<number, string>> {
  const circular = new Map<number, string>();
  const merging = people.filter(({ operator }) => operator.merged_into !== undefined);
  const targets = merging.flatMap(({ operator }) => operator.merged_into ?? []);
  if (targets.length === 0) return circular;
  const merges = await listMerges(connection, targets);
  // First what the batch undoes, so that the order of its lines does not matter.
  for (const { passport_id, operator } of merging) if (operator.merged_into === null) merges.set(passport_id, null);
  for (const { passport_id, operator } of merging) {
    const into = operator.merged_into ?? null;
    if (into !== null && leadsTo(merges, into, passport_id)) {
      circular.set(passport_id, `is ${into}, which is itself merged into ${passport_id}: a circle of merges`);
    } else {
      merges.set(passport_id, into);
    }
  }
  return circular;
}

/** True if the chain of merges that begins at `from` comes to `to`. Stored circles, written by hand perhaps, end the walk. */
function leadsTo(merges: ReadonlyMap<number, number | null>, from: number, to: number): boolean {
  const walked = new Set<number>();
  for (let at: number | null = from; at !== null && !walked.has(at); at = merges.get(at) ?? null) {
    if (at === to) return true;
    walked.add(at);
  }
  return false;
}
