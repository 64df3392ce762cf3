import type { Database } from "#core/database/database.ts";
import { type Job, POLL_MS } from "#core/process/job.ts";
import { presentNext } from "./carried-fields.ts";

/** Finishes a change of the carried fields. */
export const presentingJob = (database: Database, everyMs: number): Job => ({
  name: "present people with the carried fields",
  everyMs,
  wakes: true,
  retryMs: POLL_MS,
  run: async () => ((await presentNext(database)) > 0 ? 0 : undefined),
});
