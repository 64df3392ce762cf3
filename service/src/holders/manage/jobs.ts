import type { Logger } from "pino";
import type { Database } from "#core/database/database.ts";
import { type Job, POLL_MS } from "#core/process/job.ts";
import { type ProcessedRequests, processRequests } from "./process-requests.ts";
import { tidyRequests } from "./requests.ts";
import type { HolderSettings } from "./settings.ts";

// The jobs of a worker for requests of holders.

const REQUESTS_JOB = "carry out requests of holders";
/** A flood of requests leaves at most this time's refusals above the limit. */
const TIDY_MS = 60_000;

type Events = {
  holders: HolderSettings;
  onRequests: (processed: ProcessedRequests) => void;
  onFailure: (job: string, error: unknown) => void;
};

export type RequestOptions = Events & { signal: AbortSignal; pollMs?: number };

/** Carries out requests, unless `mayProcess` says no: the database was restored. */
export const requestsJob = (database: Database, options: RequestOptions, mayProcess: () => Promise<boolean>): Job => ({
  name: REQUESTS_JOB,
  everyMs: options.pollMs ?? POLL_MS,
  wakes: true,
  retryMs: POLL_MS,
  run: async () => ((await mayProcess()) && (await processSome(database, options)) ? 0 : undefined),
});

/** Deletes old requests. */
export const deletionJob = (database: Database): Job => ({
  name: "delete old requests of holders",
  everyMs: TIDY_MS,
  wakes: false,
  retryMs: POLL_MS,
  async run() {
    await tidyRequests(database);
    return undefined;
  },
});

/** Processes some requests of holders. False if none was waiting: failed ones are not due again for a while. */
export async function processSome(database: Database, { holders, onRequests, onFailure }: Events): Promise<boolean> {
  const processed = await processRequests(database, holders, (error) => onFailure(REQUESTS_JOB, error));
  const isBusy = Object.values(processed).some((requests) => requests > 0);
  if (isBusy) onRequests(processed);
  return isBusy;
}

/** Serving nodes check every signature, so this is no mistake of a setting. */
export const FORGED = "the serving role may be in other hands: change its password.";

/** Logs what a worker did with requests of holders. */
export function reportRequests(log: Logger, { advanced, forged }: ProcessedRequests): void {
  if (advanced > 0) log.info({ requests: advanced }, "processed requests of holders");
  if (forged > 0) log.error({ requests: forged }, `deleted requests without a valid signature: ${FORGED}`);
}
