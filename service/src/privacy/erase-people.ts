import type { Connection } from "#core/database/database.ts";
import { countPeopleChange, countRemoval } from "#list/manage/change-counter.ts";
import { correctStanding } from "#list/manage/corrections.ts";
import { writeMergedPassports } from "#people/documents/write-documents.ts";
import { deleteHolderHides, deleteRestoreQuestions, deleteVisibilityChanges } from "#people/facts/hidden-by-holder.ts";
import { deleteMirrorState } from "#people/facts/mirror-state.ts";
import { listStoredIds } from "#people/facts/passports.ts";
import { deletePeople } from "#people/write/delete-people.ts";
import { findAffected } from "#people/write/save-people.ts";
import { writeWalletOwners } from "#people/write/write-wallet-owners.ts";
import { insertAudit } from "./audit.ts";
import { forgetRequestsOf } from "./requests-of-person.ts";

/**
 * Deletes everything stored about these people, with an audit entry each, in the caller's
 * transaction and under its lock of people. The request `keptRequestId` stays, as its
 * signature is the proof. Returns the ids that were stored.
 *
 * Every feature with data of people is called here by name. With hooks that features register, one that
 * is forgotten would leave personal data; the test of stored-data.ts finds a table that is missing here.
 */
export async function erasePeople(
  connection: Connection,
  ids: readonly number[],
  { requestId = null, keptRequestId = null }: { requestId?: number | null; keptRequestId?: number | null } = {},
): Promise<number[]> {
  const storedIds = ids.length === 0 ? [] : await listStoredIds(connection, ids);
  if (storedIds.length === 0) return [];
  await countPeopleChange(connection);
  await countRemoval(connection);
  const affected = await findAffected(connection, storedIds);
  await deletePeople(connection, storedIds);
  await forgetRequestsOf(connection, storedIds, [...affected.addresses], keptRequestId);
  await deleteHolderHides(connection, storedIds);
  await deleteRestoreQuestions(connection, storedIds);
  await deleteVisibilityChanges(connection, storedIds);
  await deleteMirrorState(connection, storedIds);
  await writeWalletOwners(connection, [], affected.addresses);
  await writeMergedPassports(connection, [...affected.ids]);
  await correctStanding(connection, [...affected.ids.union(new Set(storedIds))]);
  await insertAudit(connection, "erase", storedIds, { requestId });
  return storedIds;
}
