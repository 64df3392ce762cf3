import type { Database } from "#core/database/database.ts";
import { type Job, POLL_MS } from "#core/process/job.ts";
import { deleteOldRequests } from "./delete-old-requests.ts";
import { hasProcessed, type ProcessedRequests, processRequests } from "./process-requests.ts";
import type { HolderSettings } from "./settings.ts";
import { reportSettings } from "./worker-settings.ts";

// The jobs of a worker for requests of holders.

export const REQUESTS_JOB = "carry out requests of holders";
/** A flood of requests leaves at most this time's refusals above the limit. */
const TIDY_MS = 10_000;

type Events = { holders: HolderSettings; onRequests: (processed: ProcessedRequests) => void };

export type RequestOptions = Events & {
  onFailure: (job: string, error: unknown) => void;
  signal: AbortSignal;
  pollMs?: number;
};

/** Carries out requests, unless `mayProcess` says no: the database was restored. */
export function requestsJob(database: Database, options: RequestOptions, mayProcess: () => Promise<boolean>): Job {
  const onFailure = (error: unknown) => options.onFailure(REQUESTS_JOB, error);
  return {
    name: REQUESTS_JOB,
    everyMs: options.pollMs ?? POLL_MS,
    wakes: true,
    retryMs: POLL_MS,
    run: async () => ((await mayProcess()) && (await processSome(database, options, onFailure)) ? 0 : undefined),
  };
}

/** Deletes old requests. */
export const deletionJob = (database: Database): Job => ({
  name: "delete old requests of holders",
  everyMs: TIDY_MS,
  wakes: false,
  retryMs: POLL_MS,
  async run() {
    await deleteOldRequests(database);
    return undefined;
  },
});

const REPORT_EVERY_MS = 30_000;

/** Stores the settings of this worker. */
export const settingsJob = (database: Database, holders: HolderSettings): Job => ({
  name: "store the settings of this worker",
  everyMs: REPORT_EVERY_MS,
  wakes: false,
  retryMs: POLL_MS,
  async run() {
    await reportSettings(database, holders);
    return undefined;
  },
});

/** Processes some requests of holders. False if none was waiting. */
export async function processSome(
  database: Database,
  { holders, onRequests }: Events,
  onFailure: (error: unknown) => void,
): Promise<boolean> {
  const processed = await processRequests(database, holders, onFailure);
  // Failed requests are not due again for a while.
  const isBusy = hasProcessed(processed);
  if (isBusy) onRequests(processed);
  return isBusy;
}
