import type { Database } from "#core/database/database.ts";
import { type Job, POLL_MS } from "#core/process/job.ts";
import { queueNextOfAll } from "./queue-recalculation.ts";
import { type Recalculated, recalculateDue } from "./recalculate.ts";

const BATCH_PEOPLE = 500;

export type RecalculationEvents = { onRecalculated: (batch: Recalculated) => void };

export const recalculationJob = (database: Database, events: RecalculationEvents, everyMs: number): Job => ({
  name: "recalculate",
  everyMs,
  wakes: true,
  retryMs: POLL_MS,
  run: async () => ((await recalculateSome(database, events)) ? 0 : undefined),
});

/** Recalculates one batch, and continues a recalculation of everyone. False if nothing was due. */
export async function recalculateSome(database: Database, { onRecalculated }: RecalculationEvents): Promise<boolean> {
  const batch = await recalculateDue(database, BATCH_PEOPLE);
  if (batch.people > 0) onRecalculated(batch);
  const queued = await queueNextOfAll(database);
  return queued || batch.people > 0;
}
