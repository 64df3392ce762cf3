import { fold } from "#identity/fold.ts";
import { type Database, inTransaction } from "#store/engine/database.ts";
import { lock, lockPeople } from "#store/engine/locks.ts";
import { countPeopleChange } from "#store/people/change-counter.ts";
import { listPassports, type StoredPassport, updateFoldedNames } from "#store/people/passports.ts";
import { deleteStrayOwners, listWallets, updateWalletOwners } from "#store/people/wallets.ts";
import { eachBatchOfPeople } from "./stream-ids.ts";
import { writeDocuments } from "./write-documents.ts";

/** Makes all documents, and the ways to them by wallet and by name, anew from facts, a batch of people a transaction; removes what is nobody's. */
export async function rebuildDocuments(database: Database, onProgress: (done: number) => void): Promise<number> {
  let done = 0;
  for await (const ids of eachBatchOfPeople(database)) {
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
    done += ids.length;
    onProgress(done);
  }
  await inTransaction(database, async (connection) => {
    await lock(connection, "people");
    await deleteStrayOwners(connection);
  });
  return done;
}

const foldName = ({ passport_id, display_name }: StoredPassport) => ({
  passport_id,
  folded_name: display_name === null ? null : fold(display_name),
});
