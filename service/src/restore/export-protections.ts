import { randomUUID } from "node:crypto";
import { type Connection, type Database, inTransaction, planLookUps } from "#core/database/database.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { listOptOutsAfter } from "#privacy/opt-outs.ts";
import { isOlderThan, olderThan } from "./is-older.ts";
import {
  findProtectionState,
  insertWrittenFile,
  listErasuresAfter,
  listKeyLimits,
  listUnsignedLines,
  listVisibilityAfter,
  type NumberedLine,
} from "./list-protections.ts";
import { readProtectionsHeader, writeProtections } from "./protections-file.ts";

const BATCH_LINES = 1_000;

export type ExportedProtections = { changes: number; lines: number };

/** Writes all protections as of one moment. Refuses to overwrite a file that is newer than the database. */
export async function exportProtections(database: Database, path: string): Promise<ExportedProtections> {
  const requireNewer = async () => {
    if (!(await isOlderThan(database, await readProtectionsHeader(path)))) return;
    throw new SnapshotRefused(olderThan(path), `Import it first: credence import --protections "${path}"`);
  };
  await requireNewer();
  return inTransaction(
    database,
    async (connection) => {
      const state = await findProtectionState(connection);
      await planLookUps(connection);
      const file_id = randomUUID();
      const lines = await writeProtections(path, { file_id, ...state }, streamLines(connection), async () => {
        // Somebody may have copied a newer file there meanwhile.
        await requireNewer();
        // Committed before the file appears, on a connection of its own.
        await insertWrittenFile(database, file_id);
      });
      return { changes: state.changes, lines };
    },
    "repeatable read, read only",
  );
}

/** Writes the file unless it is up to date. False if this database is older than the file. */
export async function updateProtections(database: Database, path: string): Promise<boolean> {
  const header = await readProtectionsHeader(path);
  if (await isOlderThan(database, header)) return false;
  const { changes } = await findProtectionState(database);
  if (header?.changes !== changes) await exportProtections(database, path);
  return true;
}

async function* streamLines(connection: Connection): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const optOuts = await listOptOutsAfter(connection, after, BATCH_LINES);
    const last = optOuts.at(-1);
    if (last === undefined) break;
    for (const opt_out of optOuts) yield JSON.stringify({ opt_out });
    after = last.passport_id;
  }
  yield* streamById(connection, listVisibilityAfter);
  yield* streamById(connection, listErasuresAfter);
  yield* await listUnsignedLines(connection);
  yield* await listKeyLimits(connection);
}

type ListAfter = (connection: Connection, after: number, limit: number) => Promise<NumberedLine[]>;

async function* streamById(connection: Connection, listAfter: ListAfter): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const lines = await listAfter(connection, after, BATCH_LINES);
    const last = lines.at(-1);
    if (last === undefined) return;
    for (const { line } of lines) yield line;
    after = last.id;
  }
}
