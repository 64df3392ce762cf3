import { type Database, inTransaction } from "#core/database/database.ts";
import { tryLock } from "#core/database/locks.ts";
import {
  buildEpochTable,
  dropEpoch,
  findCuts,
  findLastEpochNumber,
  insertEpoch,
  listPastEpochs,
} from "./build-epoch.ts";
import { findPeopleChange } from "./change-counter.ts";
import { settleCorrections } from "./corrections.ts";
import { indexNames } from "./index-names.ts";

export type Refreshed = { epoch: number; total: number; build_ms: number; left_epochs: number };

/**
 * Builds a new epoch and switches to it, in one transaction: readers see the old epoch until the
 * commit, and a build that fails leaves nothing behind. Returns null if another process is
 * building.
 */
export async function refreshStanding(database: Database): Promise<Refreshed | null> {
  const refreshed = await inTransaction(database, async (connection) => {
    if (!(await tryLock(connection, "standing"))) return null;
    const started = performance.now();
    const epoch = (await findLastEpochNumber(connection)) + 1;
    // Read before the build: a change during the build counts as not included.
    const people_change = await findPeopleChange(connection);
    const total = await buildEpochTable(connection, epoch);
    const cuts = await findCuts(connection, epoch, total);
    await indexNames(connection, epoch, total);
    await settleCorrections(connection, epoch);
    const build_ms = Math.round(performance.now() - started);
    await insertEpoch(connection, { epoch, total, build_ms, people_change, cuts });
    return { epoch, total, build_ms };
  });
  return refreshed && { ...refreshed, left_epochs: await dropPastEpochs(database) };
}

/**
 * Drops all epochs but the current and the previous one. Returns the number that could not be
 * dropped now.
 */
async function dropPastEpochs(database: Database): Promise<number> {
  let left = 0;
  for (const epoch of await listPastEpochs(database)) {
    const isDropped = await inTransaction(database, (connection) => dropEpoch(connection, epoch));
    if (!isDropped) left += 1;
  }
  return left;
}
