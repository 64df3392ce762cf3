import type { Connection } from "#core/database/database.ts";
import { deleteDocuments, upsertDocuments, upsertPassportDocuments } from "#people/facts/documents.ts";
import { makeDocuments, makePassportDocuments } from "./make-documents.ts";
import { splitBySize } from "./split-by-size.ts";

/** People per query: the size of people found through merges is unknown. */
const SLICE = 100;

/**
 * Writes the documents of these people from their facts, in the caller's transaction and under its
 * lock of people.
 */
export async function writeDocuments(connection: Connection, ids: readonly number[]): Promise<void> {
  for (let index = 0; index < ids.length; index += SLICE) await writeSlice(connection, ids.slice(index, index + SLICE));
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

/** Writes passport documents only, of people whose credentials and visibility have not changed. */
export async function writePassportDocuments(connection: Connection, ids: readonly number[]): Promise<void> {
  for (const part of await splitBySize(connection, ids)) {
    await upsertPassportDocuments(connection, await makePassportDocuments(connection, part));
  }
}
