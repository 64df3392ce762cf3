import type { Connection } from "#store/engine/database.ts";
import { wakeWorkers } from "#store/engine/worker-channel.ts";
import { correctStanding } from "#store/standing/corrections.ts";

/**
 * Makes the list forget at once, in the caller's transaction, what it must not show any longer: people who are hidden, erased or
 * merged, and wallets of the erased that others showed. Asks for a new list, which counts without them.
 */
export async function correctList(connection: Connection, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await correctStanding(connection, ids);
  await wakeWorkers(connection);
}
