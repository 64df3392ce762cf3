import { setTimeout as delay } from "node:timers/promises";
import { presentNext } from "#carried-fields/carried-fields.ts";
import { repeatPresenting } from "#carried-fields/jobs.ts";
import type { Database } from "#core/database/database.ts";
import { isUnavailable } from "#core/database/failures.ts";
import { ProgramTooOld } from "#core/database/required-program.ts";
import { POLL_MS, pause, RETRY_OUTAGE_MS, type Repeat } from "#core/process/repeat.ts";
import { reportWorker } from "#core/process/report-worker.ts";
import { deleteOldRequests } from "#holders/manage/delete-old-requests.ts";
import {
  processSome,
  REQUESTS_JOB,
  type RequestOptions,
  repeatDeletion,
  repeatRequests,
  repeatSettings,
} from "#holders/manage/jobs.ts";
import { abilitiesOf } from "#holders/manage/process-requests.ts";
import { reportSettings } from "#holders/manage/worker-settings.ts";
import { isStandingBehind } from "#list/epochs.ts";
import { type BuildEvents, type BuildOptions, buildList, repeatBuild } from "#list/manage/jobs.ts";
import { settleHiddenMerges } from "#people/write/settle-hidden-merges.ts";
import { PROTECTIONS_JOB, repeatProtections } from "#restore/jobs.ts";
import { type ProtectionsWatch, watchProtections } from "#restore/watch-protections.ts";
import { type RecalculationEvents, recalculateSome, repeatRecalculation } from "#scores/manage/jobs.ts";
import { findQueuedTo } from "#scores/manage/recalculation-of-all.ts";
import { hasDue } from "#scores/manage/recalculation-queue.ts";
import { deleteOldHistory } from "#scores/manage/record-score-changes.ts";
import { deleteOldUsage } from "#usage/manage/delete-old-usage.ts";
import { openWakeSignal } from "./wake-signal.ts";

export type WorkEvents = BuildEvents &
  RecalculationEvents &
  Pick<RequestOptions, "holders" | "onRequests" | "onFailure"> & {
    /** How many days counts of requests are kept. */
    usageRetentionDays: number;
    /** The file of protections that this worker keeps. */
    protectionsFile?: string | null;
    /** The database is older than that file. */
    onOlder?: (message: string) => void;
  };

/** `pollMs`: how often to look for work without being woken. `signal` stops the worker after the current batch. */
export type WorkOptions = WorkEvents & BuildOptions & RequestOptions;

/** However many notices wake the worker, a job looks for work at most this often. */
const MIN_PAUSE_MS = 50;
const HOUR_MS = 3_600_000;

/**
 * Works until `signal`: recalculates people who are due, finishes a change of the carried fields,
 * carries out requests of holders, refreshes the standing, deletes old score changes, usage and
 * requests, and writes the file of protections.
 */
export async function work(database: Database, options: WorkOptions): Promise<void> {
  const { pollMs = POLL_MS } = options;
  const protections = protectionsOf(database, options);
  // Before the first report of this worker, which stops others from processing requests.
  await protections.isCurrent().catch((error) => options.onFailure(PROTECTIONS_JOB, error));
  await settleHiddenMerges(database).catch((error) => options.onFailure("correct hidden and merged people", error));
  await withJobs(database, options, (repeat, signal) => [
    repeatProtections(protections, repeat, signal),
    repeatRecalculation(database, options, repeat, pollMs),
    repeatPresenting(database, repeat, pollMs),
    repeatRequests(database, options, repeat, protections.isCurrent),
    repeatBuild(database, options, repeat, pollMs, signal),
    deleteOldHourly(database, { ...options, signal }),
    ...keepHolderTables(database, { ...options, signal }, repeat, protections),
  ]);
  // A restore after this should lack as little as possible.
  await protections.write(true).catch((error) => options.onFailure(PROTECTIONS_JOB, error));
}

const protectionsOf = (
  database: Database,
  { protectionsFile = null, onOlder = () => {} }: Pick<WorkEvents, "protectionsFile" | "onOlder">,
): ProtectionsWatch => watchProtections(database, protectionsFile, onOlder);

/** Only carries out requests of holders, until `signal`. */
export function workOnRequests(database: Database, options: RequestOptions): Promise<void> {
  const protections = protectionsOf(database, {});
  return withJobs(database, options, (repeat, signal) => [
    repeatRequests(database, options, repeat, protections.isCurrent),
    ...keepHolderTables(database, { ...options, signal }, repeat, protections),
  ]);
}

/** Deletes old requests, and shows other processes that this worker runs, with its settings. */
const keepHolderTables = (
  database: Database,
  { holders, signal }: RequestOptions,
  repeat: Repeat,
  protections: ProtectionsWatch,
): Promise<void>[] => [
  repeatDeletion(database, signal, repeat),
  repeatSettings(database, holders, signal, repeat),
  reportWorker(database, signal, repeat, abilitiesOf(holders), protections.report),
];

/** Runs jobs side by side until the signal, or until the database requires a newer program. */
async function withJobs(
  database: Database,
  { signal: stopped, onFailure }: Pick<WorkOptions, "signal" | "onFailure">,
  start: (repeat: Repeat, signal: AbortSignal) => Promise<void>[],
): Promise<void> {
  const tooOld = new AbortController();
  const signal = AbortSignal.any([stopped, tooOld.signal]);
  const wakeSignal = openWakeSignal(database, signal);
  const repeat: Repeat = async (job, retryMs, step) => {
    while (!signal.aborted) {
      const waitForWork = wakeSignal.arm();
      try {
        const pauseMs = await step();
        if (pauseMs === 0) continue;
        await waitForWork(pauseMs);
        await pause(MIN_PAUSE_MS, signal);
      } catch (error) {
        if (error instanceof ProgramTooOld) return tooOld.abort(error);
        onFailure(job, error);
        await pause(isUnavailable(error) ? RETRY_OUTAGE_MS : retryMs, signal);
      }
    }
  };
  try {
    await Promise.all(start(repeat, signal));
  } finally {
    wakeSignal.close();
  }
  tooOld.signal.throwIfAborted();
}

/**
 * Works until nobody is due, no request waits and all people have the carried fields, refreshes the
 * standing if people changed, and returns. A request that fails is reported, and does not stop the rest.
 */
export async function workUntilDone(database: Database, events: WorkEvents): Promise<void> {
  const protections = protectionsOf(database, events);
  const isCurrent = await protections.isCurrent();
  await reportSettings(database, events.holders);
  while (isCurrent && (await processSome(database, events, (error) => events.onFailure(REQUESTS_JOB, error))));
  for (;;) {
    if (await recalculateSome(database, events)) continue;
    if (!(await hasDue(database, 1)) && (await findQueuedTo(database)) === null) break;
    // Other workers have claimed the rest. If one of them dies, its people are due again.
    await delay(100);
  }
  while ((await presentNext(database)) > 0);
  await deleteOldHistory(database);
  await deleteOldUsage(database, events.usageRetentionDays);
  await deleteOldRequests(database);
  await protections.write(true).catch((error) => events.onFailure(PROTECTIONS_JOB, error));
  if (await isStandingBehind(database)) await buildList(events);
}

async function deleteOldHourly(
  database: Database,
  { signal, onFailure, usageRetentionDays }: WorkOptions,
): Promise<void> {
  while (!signal.aborted) {
    await deleteOldHistory(database).catch((error) => onFailure("delete old score changes", error));
    await deleteOldUsage(database, usageRetentionDays).catch((error) => onFailure("delete old usage", error));
    await pause(HOUR_MS, signal);
  }
}
