import type { Database } from "#store/engine/database.ts";
import { listKnownIdsAfter } from "#store/people/documents.ts";

const BATCH_SIZE = 1_000;

/** Everyone who has facts or documents, a batch at a time in order of their id. */
export async function* eachBatchOfPeople(database: Database): AsyncGenerator<number[]> {
  let after = 0;
  for (;;) {
    const ids = await listKnownIdsAfter(database, after, BATCH_SIZE);
    const last = ids.at(-1);
    if (last === undefined) return;
    yield ids;
    after = last;
  }
}
