import { writeDocuments } from "#operations/documents/write-documents.ts";
import { correctList } from "#operations/standing/correct-standing.ts";
import { deletePeople } from "#operations/write/delete-people.ts";
import { findReach } from "#operations/write/find-affected.ts";
import { settleWallets } from "#operations/write/settle-wallet-owners.ts";
import type { Connection } from "#store/engine/database.ts";
import { insertAudit } from "#store/holders/audit.ts";
import { countPeopleChange } from "#store/people/change-counter.ts";
import { listStoredIds } from "#store/people/passports.ts";
import { deleteRecalculations } from "#store/scores/recalculation-queue.ts";
import { deleteScoreChanges } from "#store/scores/score-changes.ts";

/**
 * Deletes everything stored about these people, with one audit row each, in the caller's transaction and under its lock of people.
 * Returns the ids of those who were stored.
 */
export async function erasePeople(connection: Connection, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const held = await listStoredIds(connection, ids);
  if (held.length === 0) return [];
  await countPeopleChange(connection);
  const { people, addresses } = await findReach(connection, held);
  await deletePeople(connection, held);
  await deleteRecalculations(connection, held);
  await deleteScoreChanges(connection, held);
  await settleWallets(connection, [], addresses);
  await writeDocuments(connection, [...people]);
  await correctList(connection, [...people.union(new Set(held))]);
  await insertAudit(connection, "erase", held);
  return held;
}
