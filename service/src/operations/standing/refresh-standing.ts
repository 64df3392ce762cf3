import { type Database, inTransaction } from "#store/engine/database.ts";
import { tryLock } from "#store/engine/locks.ts";
import { findPeopleChange } from "#store/people/change-counter.ts";
import {
  buildEpochTable,
  dropEpoch,
  findLastEpochNumber,
  insertEpoch,
  listPastEpochs,
} from "#store/standing/build-epoch.ts";
import { settleCorrections } from "#store/standing/corrections.ts";
import { indexNames } from "./index-names.ts";

export type Refreshed = { epoch: number; total: number; build_ms: number; left_epochs: number };

/**
 * Builds a new epoch beside the current one and switches to it, in one transaction: readers see the old list until it is
 * whole, and a build that dies leaves nothing behind. Returns null when somebody else is building.
 */
export async function refreshStanding(database: Database): Promise<Refreshed | null> {
  const refreshed = await inTransaction(database, async (connection) => {
    if (!(await tryLock(connection, "standing"))) return null;
    const started = performance.now();
    const epoch = (await findLastEpochNumber(connection)) + 1;
    // Counted before the build looks: a change that it may or may not see counts as not seen.
    const people_change = await findPeopleChange(connection);
    const total = await buildEpochTable(connection, epoch);
    await indexNames(connection, epoch, total);
    await settleCorrections(connection, epoch);
    const build_ms = Math.round(performance.now() - started);
    await insertEpoch(connection, { epoch, total, build_ms, people_change });
    return { epoch, total, build_ms };
  });
  return refreshed && { ...refreshed, left_epochs: await dropPastEpochs(database) };
}

/** The previous epoch stays for readers who are still on it; what is older goes. Returns how many could not go now. */
async function dropPastEpochs(database: Database): Promise<number> {
  let left = 0;
  for (const epoch of await listPastEpochs(database)) {
    const dropped = await inTransaction(database, (connection) => dropEpoch(connection, epoch));
    if (!dropped) left += 1;
  }
  return left;
}
