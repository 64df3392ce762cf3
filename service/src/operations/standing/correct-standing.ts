import type { Connection } from "#store/engine/database.ts";
import { wakeWorkers } from "#store/engine/worker-channel.ts";
import { correctEpochs } from "#store/standing/corrections.ts";

/**
 * Removes people from the standing at once, in the caller's transaction, if they are hidden, erased
 * or merged now, and updates the others. Wakes a worker to build a new epoch, as the total still
 * counts the removed people.
 */
export async function correctStanding(connection: Connection, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await correctEpochs(connection, ids);
  await wakeWorkers(connection);
}
