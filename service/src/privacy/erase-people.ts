import type { Connection } from "#core/database/database.ts";
import { countPeopleChange } from "#list/manage/change-counter.ts";
import { correctStanding } from "#list/manage/corrections.ts";
import { deleteHolderHides, deleteRestoreQuestions, deleteVisibilityChanges } from "#people/facts/hidden-by-holder.ts";
import { listStoredIds } from "#people/facts/passports.ts";
import { listWallets } from "#people/facts/wallets.ts";
import { deletePeople } from "#people/write/delete-people.ts";
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
  const addresses = (await listWallets(connection, storedIds)).map((wallet) => wallet.address);
  await deletePeople(connection, storedIds);
  await forgetRequestsOf(connection, storedIds, addresses, keptRequestId);
  await deleteHolderHides(connection, storedIds);
  await deleteRestoreQuestions(connection, storedIds);
  await deleteVisibilityChanges(connection, storedIds);
  await writeWalletOwners(connection, [], addresses);
  await correctStanding(connection, storedIds);
  await insertAudit(connection, "erase", storedIds, { requestId });
  return storedIds;
}
