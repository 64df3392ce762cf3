import type { Database } from "#core/database/database.ts";
import { POLL_MS, pause, type Repeat } from "#core/process/repeat.ts";
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

/** `mayProcess`: false while the database is older than the file of protections. */
export function repeatRequests(
  database: Database,
  options: RequestOptions,
  repeat: Repeat,
  mayProcess: () => Promise<boolean>,
): Promise<void> {
  const onFailure = (error: unknown) => options.onFailure(REQUESTS_JOB, error);
  const { pollMs = POLL_MS } = options;
  return repeat(REQUESTS_JOB, POLL_MS, async () => {
    const isBusy = (await mayProcess()) && (await processSome(database, options, onFailure));
    return isBusy ? 0 : pollMs;
  });
}

/** Deletes old requests. */
export const repeatDeletion = (database: Database, signal: AbortSignal, repeat: Repeat): Promise<void> =>
  repeat("delete old requests of holders", POLL_MS, async () => {
    await deleteOldRequests(database);
    await pause(TIDY_MS, signal);
    return 0;
  });

const REPORT_EVERY_MS = 30_000;

/** Stores the settings of this worker. */
export const repeatSettings = (
  database: Database,
  holders: HolderSettings,
  signal: AbortSignal,
  repeat: Repeat,
): Promise<void> =>
  repeat("store the settings of this worker", POLL_MS, async () => {
    await reportSettings(database, holders);
    await pause(REPORT_EVERY_MS, signal);
    return 0;
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
