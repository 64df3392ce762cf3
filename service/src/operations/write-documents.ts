import type { Connection } from "#store/database.ts";
import { deleteDocuments, upsertDocuments } from "#store/documents.ts";
import { makeDocuments } from "./make-documents.ts";

/** Brings the documents of these people in line with their facts, in the caller's transaction and under its lock of people. */
export async function writeDocuments(connection: Connection, ids: readonly number[]): Promise<void> {
  const documents = await makeDocuments(connection, ids);
  await upsertDocuments(connection, documents);
  const present = new Set(documents.map((document) => document.passport_id));
  await deleteDocuments(
    connection,
    ids.filter((id) => !present.has(id)),
  );
}
