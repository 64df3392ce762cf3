import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/database/database.ts";
import { isUnavailable } from "#core/database/failures.ts";
import { type Job, POLL_MS, pause, RETRY_OUTAGE_MS } from "#core/process/job.ts";
import { workerReport } from "#core/process/report-worker.ts";
import { FILE_JOB, type FileKeeper, fileJob, keepFile } from "#decisions/keep-file.ts";
import { deletionJob, processSome, type RequestOptions, requestsJob } from "#holders/manage/jobs.ts";
import { abilitiesOf } from "#holders/manage/process-requests.ts";
import { tidyRequests } from "#holders/manage/requests.ts";
import { isStandingBehind } from "#list/epochs.ts";
import { type BuildEvents, type BuildOptions, buildJob, buildList } from "#list/manage/jobs.ts";
import { deleteOldUsage } from "#usage/manage/delete-old-usage.ts";
import { openWakeSignal } from "./wake-signal.ts";

export type WorkEvents = BuildEvents &
  Pick<RequestOptions, "holders" | "onRequests" | "onFailure"> & {
    /** How many days counts of requests are kept. */
    usageRetentionDays: number;
    /** The file of decisions that this worker keeps. */
    decisions?: Pick<Config, "decisionsFile" | "optOutKeys">;
    /** The database lacks decisions of that file. */
    onOlder?: (message: string) => void;
  };

/** `pollMs`: how often to look for work without being woken. `signal` stops the worker after the current batch. */
export type WorkOptions = WorkEvents & BuildOptions & RequestOptions;

/** However many notices wake the worker, a job looks for work at most this often. */
const MIN_PAUSE_MS = 50;
const HOUR_MS = 3_600_000;

/**
 * Works until `signal`: carries out requests of holders, refreshes the standing, deletes old usage and
 * requests, and writes the file of decisions.
 */
export async function work(database: Database, options: WorkOptions): Promise<void> {
  const { pollMs = POLL_MS } = options;
  const keeper = keeperOf(database, options);
  // Before the first report of this worker, which stops others from processing requests.
  await keeper.isCurrent().catch((error) => options.onFailure(FILE_JOB, error));
  await runJobs(database, options, keeper, [
    fileJob(keeper),
    requestsJob(database, options, keeper.isCurrent),
    buildJob(database, options, pollMs),
    cleanUpJob(database, options),
  ]);
  // A restore after this should lack as little as possible.
  await keeper.write(true).catch((error) => options.onFailure(FILE_JOB, error));
}

const NO_FILE = { decisionsFile: null, optOutKeys: [] };

const keeperOf = (
  database: Database,
  { decisions = NO_FILE, onOlder = () => {} }: Pick<WorkEvents, "decisions" | "onOlder">,
): FileKeeper => keepFile(database, decisions, onOlder);

/** Only carries out requests of holders, and builds the list if `build` says how, until `signal`. */
export function workOnRequests(database: Database, options: RequestOptions, build?: BuildOptions): Promise<void> {
  const { pollMs = POLL_MS } = options;
  const keeper = keeperOf(database, {});
  return runJobs(database, options, keeper, [
    requestsJob(database, options, keeper.isCurrent),
    ...(build === undefined ? [] : [buildJob(database, build, pollMs)]),
  ]);
}

/** Runs these jobs, and those that every worker has, side by side until the signal. */
async function runJobs(
  database: Database,
  { signal, onFailure, holders }: Pick<RequestOptions, "signal" | "onFailure" | "holders">,
  keeper: FileKeeper,
  jobs: readonly Job[],
): Promise<void> {
  const wakeSignal = openWakeSignal(database, signal);
  const report = workerReport(database, abilitiesOf(holders), keeper.report);
  const repeat = async ({ name, everyMs, wakes, retryMs, run }: Job): Promise<void> => {
    for (let outages = 0; !signal.aborted; ) {
      const waitForWork = wakeSignal.arm();
      try {
        const pauseMs = (await run()) ?? everyMs;
        outages = 0;
        if (pauseMs === 0) continue;
        if (wakes) await waitForWork(pauseMs);
        await pause(wakes ? MIN_PAUSE_MS : pauseMs, signal);
      } catch (error) {
        onFailure(name, error);
        await pause(isUnavailable(error) ? Math.min(retryMs, RETRY_OUTAGE_MS * 2 ** outages) : retryMs, signal);
        outages += 1;
      }
    }
  };
  try {
    await Promise.all([...jobs, deletionJob(database), report.job].map(repeat));
    await report.end();
  } finally {
    wakeSignal.close();
  }
}

/**
 * Works until no request waits, refreshes the standing if people changed, and returns. A request that
 * fails is reported, and does not stop the rest.
 */
export async function workUntilDone(database: Database, events: WorkEvents): Promise<void> {
  const keeper = keeperOf(database, events);
  const isCurrent = await keeper.isCurrent();
  while (isCurrent && (await processSome(database, events)));
  await deleteOldUsage(database, events.usageRetentionDays);
  await tidyRequests(database);
  await keeper.write(true).catch((error) => events.onFailure(FILE_JOB, error));
  if (await isStandingBehind(database)) await buildList(events);
}

const cleanUpJob = (database: Database, { usageRetentionDays }: WorkEvents): Job => ({
  name: "delete old usage",
  everyMs: HOUR_MS,
  wakes: false,
  retryMs: HOUR_MS,
  async run() {
    await deleteOldUsage(database, usageRetentionDays);
    return undefined;
  },
});
