import { type Database, inTransaction } from "#store/database.ts";
import { lock } from "#store/locks.ts";
import { eachBatchOfPeople } from "./each-batch.ts";
import { writeDocuments } from "./write-documents.ts";

/** Makes all documents anew from facts, a batch of people a transaction, and removes those that belong to nobody. */
export async function rebuildDocuments(database: Database, onProgress: (done: number) => void): Promise<number> {
  let done = 0;
  for await (const ids of eachBatchOfPeople(database)) {
    await inTransaction(database, async (connection) => {
      await lock(connection, "people");
      await writeDocuments(connection, ids);
    });
    done += ids.length;
    onProgress(done);
  }
  return done;
}
