import type { Database } from "#core/database/database.ts";
import { POLL_MS, type Repeat } from "#core/process/repeat.ts";
import { queueNextOfAll } from "./queue-recalculation.ts";
import { type Recalculated, recalculateDue } from "./recalculate.ts";

// The job of a worker that recalculates.

const BATCH_PEOPLE = 500;

export type RecalculationEvents = { onRecalculated: (batch: Recalculated) => void };

export const repeatRecalculation = (
  database: Database,
  events: RecalculationEvents,
  repeat: Repeat,
  pollMs: number,
): Promise<void> =>
  repeat("recalculate", POLL_MS, async () => ((await recalculateSome(database, events)) ? 0 : pollMs));

/** Recalculates one batch, and continues a recalculation of everyone. False if nothing was due. */
export async function recalculateSome(database: Database, { onRecalculated }: RecalculationEvents): Promise<boolean> {
  const batch = await recalculateDue(database, BATCH_PEOPLE);
  if (batch.people > 0) onRecalculated(batch);
  const queued = await queueNextOfAll(database);
  return queued || batch.people > 0;
}
