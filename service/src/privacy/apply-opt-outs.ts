import { type Connection, type Database, withConnection } from "#core/database/database.ts";
import type { SourceFile } from "#core/files/source.ts";
import { importOptOuts, type OptOutsImported, previewFile } from "./import-opt-outs.ts";
import { fingerprintOf } from "./opt-out.ts";
import { listOptOutKeys, updateKeysUnapplied } from "./opt-outs.ts";
import { sweepOptOuts } from "./sweep-opt-outs.ts";

export type OptOutOptions = {
  file: SourceFile | null;
  keys: readonly string[];
  onProgress: (people: number) => void;
};

export type OptOutsApplied = {
  taken: number;
  /** Ids of people that were erased, or would be. */
  erased: number[];
  wallets_dropped: number;
  /**
   * Fingerprints of keys that are not ours. Wallets that opted out under them cannot be recognised.
   */
  foreignKeys: string[];
};

/** Imports a file of opt-outs, if there is one, and applies new opt-outs to the stored people. */
export function applyOptOuts(
  database: Database,
  { file, keys: known, onProgress }: OptOutOptions,
): Promise<OptOutsApplied> {
  return withConnection(database, async (connection) => {
    const { taken, erased, keys } = file === null ? NONE : await importOptOuts(connection, file);
    const foreignKeys = await listForeignKeys(connection, keys, known);
    // An import with the key will look for these wallets among the people that come in now.
    await updateKeysUnapplied(connection, foreignKeys);
    const swept = await sweepOptOuts(connection, known, onProgress);
    return { taken, erased: [...erased, ...swept.erased], wallets_dropped: swept.changed, foreignKeys };
  });
}

/** What it would do, without the wallets of stored people. Reads only. */
export async function previewOptOuts(
  database: Database,
  { file, keys: known }: Pick<OptOutOptions, "file" | "keys">,
): Promise<OptOutsApplied> {
  const { taken, erased, keys } = file === null ? NONE : await previewFile(database, file);
  return { taken, erased, wallets_dropped: 0, foreignKeys: await listForeignKeys(database, keys, known) };
}

const NONE: OptOutsImported = { taken: 0, erased: [], keys: [] };

async function listForeignKeys(
  connection: Connection,
  keys: readonly string[],
  known: readonly string[],
): Promise<string[]> {
  const fingerprints = new Set(known.map(fingerprintOf));
  const allKeys = new Set([...keys, ...(await listOptOutKeys(connection))]);
  return [...allKeys].filter((key) => !fingerprints.has(key));
}
