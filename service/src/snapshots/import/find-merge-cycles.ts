import type { Connection } from "#core/database/database.ts";
import { listMerges } from "#people/facts/merges.ts";
import type { PreparedPerson } from "#people/write/prepare-person.ts";

/**
 * Of these people, those whose merge would close a cycle with stored people or with earlier people
 * of the batch, each with the reason. A cycle has no survivor: all its people would leave the
 * standing, and its wallets would have no owner.
 */
export async function findMergeCycles(
  connection: Connection,
  people: readonly PreparedPerson[],
): Promise<Map<number, string>> {
  const cycles = new Map<number, string>();
  const merging = people.filter(({ operator }) => operator.merged_into !== undefined);
  const targets = merging.flatMap(({ operator }) => operator.merged_into ?? []);
  if (targets.length === 0) return cycles;
  const merges = await listMerges(connection, targets);
  // Unmerges first, so that the order of lines does not matter.
  for (const { passport_id, operator } of merging) if (operator.merged_into === null) merges.set(passport_id, null);
  for (const { passport_id, operator } of merging) {
    const into = operator.merged_into ?? null;
    if (into !== null && leadsTo(merges, into, passport_id)) {
      cycles.set(passport_id, `is ${into}, which is itself merged into ${passport_id}: a merge cycle`);
    } else {
      merges.set(passport_id, into);
    }
  }
  return cycles;
}

/**
 * True if the chain of merges from `from` contains `to`. The walk also ends at a cycle that is
 * stored already.
 */
function leadsTo(merges: ReadonlyMap<number, number | null>, from: number, to: number): boolean {
  const visited = new Set<number>();
  for (let index: number | null = from; index !== null && !visited.has(index); index = merges.get(index) ?? null) {
    if (index === to) return true;
    visited.add(index);
  }
  return false;
}
