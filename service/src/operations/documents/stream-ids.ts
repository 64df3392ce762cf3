import type { Database } from "#store/engine/database.ts";
import { listKnownIdsAfter } from "#store/people/documents.ts";

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
