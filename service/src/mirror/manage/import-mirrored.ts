import { type Database, transact, withConnection } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import type { Source } from "#core/files/source.ts";
import { countAbsent } from "#people/facts/mirror-absent.ts";
import { createSeenPeople } from "#people/facts/seen-people.ts";
import { importMirroredPeople } from "#snapshots/import/import-people.ts";
import { countLines } from "#snapshots/import/import-run.ts";
import { type Removal, removeAbsent, showReturned } from "./absent-people.ts";
import { type ImportedSnapshot, updateImported } from "./mirror-of.ts";

export type ImportedMirror = Removal & { added: number; changed: number; unchanged: number; opted_out: number };

/**
 * Makes the stored people those of a snapshot, in one transaction: readers see all of it or nothing, and
 * after an interruption nothing has happened.
 */
export function importMirrored(
  database: Database,
  source: Source,
  snapshot: ImportedSnapshot,
  optOutKeys: readonly string[],
): Promise<ImportedMirror> {
  return withConnection(database, async (connection) => {
    await createSeenPeople(connection);
    return transact(connection, async () => {
      const imported = await importMirroredPeople(database, connection, source, optOutKeys);
      requireComplete(source, countLines(imported), imported.refused, imported.reasons);
      await lockPeople(connection);
      await showReturned(connection);
      const removal = await removeAbsent(connection, optOutKeys);
      await updateImported(connection, snapshot, await countAbsent(connection));
      const { added, changed, unchanged, opted_out } = imported;
      return { added, changed, unchanged, opted_out, ...removal };
    });
  });
}

function requireComplete({ manifest }: Source, lines: number, refused: number, reasons: object): void {
  const advice = "Nothing was imported. Ask the publisher; a newer version of Credence may be needed.";
  if (refused > 0) {
    const [reason] = Object.keys(reasons);
    throw new SnapshotRefused(`The snapshot has ${refused} invalid lines, such as: ${reason}.`, advice);
  }
  if (lines !== manifest?.people) {
    throw new SnapshotRefused(`The snapshot has ${lines} lines; its manifest says ${manifest?.people}.`, advice);
  }
}
