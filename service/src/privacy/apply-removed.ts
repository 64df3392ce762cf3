import { type Database, transact, withConnection } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import type { SourceFile } from "#core/files/source.ts";
import { listStoredIds } from "#people/facts/passports.ts";
import { listWallets } from "#people/facts/wallets.ts";
import { readRemoved } from "./read-opt-outs.ts";
import { removePeople } from "./remove-people.ts";
import { recordRemovedElsewhere } from "./removed-with-another.ts";

/** `named`: ids in the file. `removed`: those that were stored. */
export type RemovedApplied = { named: number; removed: number[] };

type RemovedOptions = { file: SourceFile | null; keys: readonly string[]; dryRun: boolean };

/** Deletes the people that a snapshot names as removed with another, and keeps them out of later imports. */
export function applyRemoved(database: Database, { file, keys, dryRun }: RemovedOptions): Promise<RemovedApplied> {
  const applied: RemovedApplied = { named: 0, removed: [] };
  if (file === null) return Promise.resolve(applied);
  return withConnection(database, async (connection) => {
    // The first pass validates the whole file, before anything is written.
    for await (const _ of readRemoved(file));
    for await (const lines of readRemoved(file)) {
      const ids = lines.map(({ passport_id }) => passport_id);
      applied.named += ids.length;
      if (dryRun) {
        applied.removed.push(...(await listStoredIds(connection, ids)));
        continue;
      }
      const removed = await transact(connection, async () => {
        await lockPeople(connection);
        const wallets = (await listWallets(connection, ids)).filter(({ position }) => position === 0);
        const walletOf = new Map(wallets.map(({ passport_id, address }) => [passport_id, address]));
        const people = ids.map((passport_id) => ({ passport_id, main_wallet: walletOf.get(passport_id) ?? null }));
        await recordRemovedElsewhere(connection, people, keys[0]);
        return removePeople(connection, ids, keys);
      });
      applied.removed.push(...removed);
    }
    return applied;
  });
}
