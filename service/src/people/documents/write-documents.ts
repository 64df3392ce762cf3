import type { Connection } from "#core/database/database.ts";
import { deleteDocuments, upsertDocuments } from "#people/facts/documents.ts";
import { makeDocuments } from "./make-documents.ts";

/** People per query, if their size is unknown: without documents. */
const SLICE = 100;

const inSlices = (ids: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(ids.length / SLICE) }, (_, index) => ids.slice(index * SLICE, (index + 1) * SLICE));

/**
 * Writes the documents of these people from their facts, in the caller's transaction and under its
 * lock of people.
 */
export async function writeDocuments(connection: Connection, ids: readonly number[]): Promise<void> {
  for (const slice of inSlices(ids)) await writeSlice(connection, slice);
}

async function writeSlice(connection: Connection, ids: readonly number[]): Promise<void> {
  const documents = await makeDocuments(connection, ids);
  await upsertDocuments(connection, documents);
  const visibleIds = new Set(documents.map((document) => document.passport_id));
  await deleteDocuments(
    connection,
    ids.filter((id) => !visibleIds.has(id)),
  );
}
