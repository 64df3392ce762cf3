import type { KeyObject } from "node:crypto";
import type { Manifest } from "@credence/contract/snapshot.ts";
import { type Connection, type Database, inTransaction, planLookUps } from "#core/database/database.ts";
import { type PersonLine, writeSnapshot } from "#core/files/write-snapshot.ts";
import { streamFile } from "#decisions/file.ts";
import { countStored, listLinesAfter } from "#people/facts/people.ts";

const BATCH_PEOPLE = 250;

export type ExportOptions = {
  /** The name of this data, for the manifest. */
  source: string;
  privateKey: KeyObject | null;
  /** The first authenticates the decisions. */
  optOutKeys: readonly string[];
  onProgress: (people: number, total: number) => void;
};

/**
 * Writes all stored people and the decisions about people into a folder, as of one moment: one read-only
 * transaction reads all of it.
 */
export function exportPeople(database: Database, folder: string, options: ExportOptions): Promise<Manifest> {
  return inTransaction(
    database,
    async (connection) => {
      const total = await countStored(connection);
      await planLookUps(connection);
      const { source, privateKey, optOutKeys, onProgress } = options;
      const content = {
        source,
        createdAt: new Date(),
        people: streamPeople(connection),
        decisions: streamFile(connection, optOutKeys, "people"),
        privateKey,
      };
      return writeSnapshot(folder, content, (people) => onProgress(people, total));
    },
    "repeatable read, read only",
  );
}

/** A line is stored as it is exported. */
async function* streamPeople(connection: Connection): AsyncGenerator<PersonLine> {
  let after = 0;
  for (;;) {
    const lines = await listLinesAfter(connection, after, BATCH_PEOPLE);
    const last = lines.at(-1);
    if (last === undefined) return;
    yield* lines;
    after = last.passport_id;
  }
}
