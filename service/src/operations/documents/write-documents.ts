import type { Connection } from "#store/engine/database.ts";
import { deleteDocuments, upsertDocuments, upsertPassportDocuments } from "#store/people/documents.ts";
import { makeDocuments, makePassportDocuments } from "./make-documents.ts";
import { cutBySize } from "./split-by-size.ts";

/** Brings the documents of these people in line with their facts, in the caller's transaction and under its lock of people. */
export async function writeDocuments(connection: Connection, ids: readonly number[]): Promise<void> {
  // A few at a time, as nobody knows how much those reached through merges hold.
  for (let at = 0; at < ids.length; at += SLICE) await writeSlice(connection, ids.slice(at, at + SLICE));
}

const SLICE = 100;

async function writeSlice(connection: Connection, ids: readonly number[]): Promise<void> {
  const documents = await makeDocuments(connection, ids);
  await upsertDocuments(connection, documents);
  const present = new Set(documents.map((document) => document.passport_id));
  await deleteDocuments(
    connection,
    ids.filter((id) => !present.has(id)),
  );
}

/** The same for passport documents alone, of people whose credentials have not changed and who stay hidden if they are. */
export async function writePassportDocuments(connection: Connection, ids: readonly number[]): Promise<void> {
  for (const part of await cutBySize(connection, ids)) {
    await upsertPassportDocuments(connection, await makePassportDocuments(connection, part));
  }
}
