import { type Database, withConnection } from "#core/database/database.ts";
import type { SourceFile } from "#core/files/source.ts";
import { importOptOuts } from "./import-opt-outs.ts";
import { fingerprintOf } from "./opt-out.ts";
import { listOptOutKeys, updateKeysUnapplied } from "./opt-outs.ts";
import { sweepOptOuts } from "./sweep-opt-outs.ts";

export type OptOutOptions = {
  file: SourceFile | null;
  key: string | null;
  dryRun: boolean;
  onProgress: (people: number) => void;
};

export type OptOutsApplied = {
  taken: number;
  /** Ids of people that were erased, or would be in a dry run. */
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
  { file, key, dryRun, onProgress }: OptOutOptions,
): Promise<OptOutsApplied> {
  return withConnection(database, async (connection) => {
    const none = { taken: 0, erased: [], keys: [] };
    const { taken, erased, keys } = file === null ? none : await importOptOuts(connection, file, dryRun);
    const fingerprint = key === null ? null : fingerprintOf(key);
    const allKeys = new Set([...keys, ...(await listOptOutKeys(connection))]);
    const foreignKeys = [...allKeys].filter((foreign) => foreign !== fingerprint);
    if (dryRun) return { taken, erased, wallets_dropped: 0, foreignKeys };
    // An import with the key will look for these wallets among the people that come in now.
    await updateKeysUnapplied(connection, foreignKeys);
    const swept = key === null ? { erased: [], changed: 0 } : await sweepOptOuts(connection, key, onProgress);
    return { taken, erased: [...erased, ...swept.erased], wallets_dropped: swept.changed, foreignKeys };
  });
}
