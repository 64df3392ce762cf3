import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { countPeopleChange } from "#list/manage/change-counter.ts";
import { correctStanding } from "#list/manage/corrections.ts";
import { makePassportDocuments } from "#people/documents/make-documents.ts";
import { writeDocuments } from "#people/documents/write-documents.ts";
import { listDocuments } from "#people/facts/documents.ts";
import { listHiddenMerged } from "#people/facts/merges.ts";
import { updateWalletOwners } from "#people/facts/wallet-owner-rule.ts";
import { findAffected } from "./save-people.ts";

const SLICE = 100;

/**
 * Removes the wallets of hidden absorbed records from look-ups, and from the documents and list entries of
 * their survivors. Earlier versions showed them. Returns how many documents were wrong; 0 if the
 * database was written by this version.
 */
export async function settleHiddenMerges(database: Database): Promise<number> {
  // Without the lock, which other writers may have for a while.
  if ((await listHiddenMerged(database)).length === 0) return 0;
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const { ids, addresses } = await findAffected(connection, await listHiddenMerged(connection));
    if (addresses.size === 0) return 0;
    await updateWalletOwners(connection, [...addresses]);
    const wrong = await listWrongDocuments(connection, [...ids]);
    if (wrong.length === 0) return 0;
    await countPeopleChange(connection);
    await writeDocuments(connection, wrong);
    await correctStanding(connection, wrong);
    return wrong.length;
  });
}

async function listWrongDocuments(connection: Connection, ids: readonly number[]): Promise<number[]> {
  const wrong: number[] = [];
  for (let index = 0; index < ids.length; index += SLICE) {
    const slice = ids.slice(index, index + SLICE);
    const stored = new Map(
      (await listDocuments(connection, slice)).map(({ passport_id, etag }) => [passport_id, etag]),
    );
    const wanted = await makePassportDocuments(connection, slice);
    wrong.push(
      ...wanted.filter(({ passport_id, etag }) => stored.get(passport_id) !== etag).map((it) => it.passport_id),
    );
  }
  return wrong;
}
