import { type Database, inTransaction } from "#store/database.ts";
import { lock } from "#store/locks.ts";
import { deleteStrayOwners, listWallets, updateWalletOwners } from "#store/wallets.ts";
import { eachBatchOfPeople } from "./each-batch.ts";
import { writeDocuments } from "./write-documents.ts";

/** Makes all documents, and the ways to them, anew from facts, a batch of people a transaction; removes what is nobody's. */
export async function rebuildDocuments(database: Database, onProgress: (done: number) => void): Promise<number> {
  let done = 0;
  for await (const ids of eachBatchOfPeople(database)) {
    await inTransaction(database, async (connection) => {
      await lock(connection, "people");
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
