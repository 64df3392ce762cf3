import { writeDocuments } from "#operations/documents/write-documents.ts";
import { deletePeople } from "#operations/write/delete-people.ts";
import { findAffected } from "#operations/write/save-people.ts";
import { writeWalletOwners } from "#operations/write/write-wallet-owners.ts";
import type { Connection } from "#store/engine/database.ts";
import { forgetRequestsOf } from "#store/holder-requests/delete-requests.ts";
import { deleteHolderHides } from "#store/holder-requests/hidden-by-holder.ts";
import { countPeopleChange } from "#store/people/change-counter.ts";
import { listStoredIds } from "#store/people/passports.ts";
import { insertAudit } from "#store/privacy/audit.ts";
import { deleteUnsignedErasures, deleteVisibilityChanges } from "#store/protections/pending-protections.ts";
import { deleteRecalculations } from "#store/scores/recalculation-queue.ts";
import { deleteScoreChanges } from "#store/scores/score-changes.ts";
import { correctStanding } from "#store/standing/corrections.ts";

/**
 * Deletes everything stored about these people, with an audit entry each, in the caller's
 * transaction and under its lock of people. The holder's request that asked for it stays, as its
 * signature is the proof. Returns the ids that were stored.
 */
export async function erasePeople(
  connection: Connection,
  ids: readonly number[],
  requestId: number | null = null,
): Promise<number[]> {
  const storedIds = ids.length === 0 ? [] : await listStoredIds(connection, ids);
  if (storedIds.length === 0) return [];
  await countPeopleChange(connection);
  const affected = await findAffected(connection, storedIds);
  await deletePeople(connection, storedIds);
  await deleteRecalculations(connection, storedIds);
  await deleteScoreChanges(connection, storedIds);
  await forgetRequestsOf(connection, storedIds, [...affected.addresses], requestId);
  await deleteHolderHides(connection, storedIds);
  await deleteUnsignedErasures(connection, storedIds);
  await deleteVisibilityChanges(connection, storedIds);
  await writeWalletOwners(connection, [], affected.addresses);
  await writeDocuments(connection, [...affected.ids]);
  await correctStanding(connection, [...affected.ids.union(new Set(storedIds))]);
  await insertAudit(connection, "erase", storedIds, { requestId });
  return storedIds;
}
