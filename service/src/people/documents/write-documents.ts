import type { Connection } from "#core/database/database.ts";
import { deleteDocuments, type StoredDocuments, upsertDocuments } from "#people/facts/documents.ts";
import { listHiddenIds, listLines } from "#people/facts/people.ts";
import { parseLine, presentPerson } from "#people/line.ts";

/** People per query: the size of their lines is unknown. */
const SLICE = 100;

/** The documents that these people should have, from their lines. Hidden and unknown people have none. */
export async function makeDocuments(connection: Connection, ids: readonly number[]): Promise<StoredDocuments[]> {
  const hidden = new Set(await listHiddenIds(connection, ids));
  const lines = await listLines(
    connection,
    ids.filter((id) => !hidden.has(id)),
  );
  return lines.map(({ line }) => presentPerson(parseLine(line)));
}

/**
 * Writes the documents of these people from their lines, in the caller's transaction and under its
 * lock of people.
 */
export async function writeDocuments(connection: Connection, ids: readonly number[]): Promise<void> {
  for (let index = 0; index < ids.length; index += SLICE) {
    const slice = ids.slice(index, index + SLICE);
    const documents = await makeDocuments(connection, slice);
    await upsertDocuments(connection, documents);
    const shown = new Set(documents.map(({ passport_id }) => passport_id));
    await deleteDocuments(
      connection,
      slice.filter((id) => !shown.has(id)),
    );
  }
}
