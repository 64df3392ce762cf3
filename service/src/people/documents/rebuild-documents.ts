import { type Database, inTransaction } from "#core/database/database.ts";
import { lock, lockPeople } from "#core/database/locks.ts";
import { fold } from "#core/identity/fold.ts";
import { countPeopleChange } from "#list/manage/change-counter.ts";
import { listKnownIdsAfter } from "#people/facts/documents.ts";
import { listPassports, type StoredPassport, updateFoldedNames } from "#people/facts/passports.ts";
import { deleteUnlistedOwners, updateWalletOwners } from "#people/facts/wallet-owner-rule.ts";
import { listWallets } from "#people/facts/wallets.ts";
import { writeDocuments } from "./write-documents.ts";

/**
 * Writes all documents, folded names and wallet owners again from facts, one transaction per batch.
 * Deletes orphans.
 */
export async function rebuildDocuments(database: Database, onProgress: (people: number) => void): Promise<number> {
  let people = 0;
  for await (const ids of streamKnownIds(database)) {
    await inTransaction(database, async (connection) => {
      await lockPeople(connection);
      await countPeopleChange(connection);
      await updateFoldedNames(connection, (await listPassports(connection, ids)).map(foldName));
      const wallets = await listWallets(connection, ids);
      await updateWalletOwners(
        connection,
        wallets.map((wallet) => wallet.address),
      );
      await writeDocuments(connection, ids);
    });
    people += ids.length;
    onProgress(people);
  }
  await inTransaction(database, async (connection) => {
    await lock(connection, "people");
    await deleteUnlistedOwners(connection);
  });
  return people;
}

const foldName = ({ passport_id, display_name }: StoredPassport) => ({
  passport_id,
  folded_name: display_name === null ? null : fold(display_name),
});

const BATCH_SIZE = 1_000;

/** The ids of all people with facts or documents, in order, in batches. */
export async function* streamKnownIds(database: Database): AsyncGenerator<number[]> {
  let after = 0;
  for (;;) {
    const ids = await listKnownIdsAfter(database, after, BATCH_SIZE);
    const last = ids.at(-1);
    if (last === undefined) return;
    yield ids;
    after = last;
  }
}
