import { fingerprintOf } from "#identity/opt-out-key.ts";
import type { SourceFile } from "#snapshot/source.ts";
import { type Database, withConnection } from "#store/engine/database.ts";
import { listOptOutKeys, updateKeysUnapplied } from "#store/holders/opt-outs.ts";
import { takeOptOuts } from "./import-opt-outs.ts";
import { sweepOptOuts } from "./sweep-opt-outs.ts";

export type OptOutOptions = {
  file: SourceFile | null;
  key: string | null;
  dryRun: boolean;
  onProgress: (people: number) => void;
};

export type OptOutsApplied = {
  taken: number;
  /** The ids of the people that the opt-outs erased, or would erase in a dry run. */
  erased: number[];
  wallets_dropped: number;
  /** Under these, wallets opted out that cannot be recognised without them. */
  foreignKeys: string[];
};

/** Takes in a file of opt-outs, if there is one, and applies what has come since the last time to the people held. */
export function applyOptOuts(
  database: Database,
  { file, key, dryRun, onProgress }: OptOutOptions,
): Promise<OptOutsApplied> {
  return withConnection(database, async (connection) => {
    const none = { taken: 0, erased: [], keys: [] };
    const { taken, erased, keys } = file === null ? none : await takeOptOuts(connection, file, dryRun);
    const own = key === null ? null : fingerprintOf(key);
    const foreignKeys = [...new Set([...keys, ...(await listOptOutKeys(connection))])].filter((one) => one !== own);
    if (dryRun) return { taken, erased, wallets_dropped: 0, foreignKeys };
    // Who comes in now by such a wallet is to be found by an import that has the key.
    await updateKeysUnapplied(connection, foreignKeys);
    const swept = key === null ? { erased: [], changed: 0 } : await sweepOptOuts(connection, key, onProgress);
    return { taken, erased: [...erased, ...swept.erased], wallets_dropped: swept.changed, foreignKeys };
  });
}
