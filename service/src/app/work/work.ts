import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { presentNext } from "#carried-fields/carried-fields.ts";
import type { Database } from "#core/database/database.ts";
import { DatabaseDown, isUnavailable } from "#core/database/failures.ts";
import { unlessClaimed } from "#core/database/locks.ts";
import { ProgramTooOld } from "#core/database/required-program.ts";
import { POLL_MS, type Repeat } from "#core/process/repeat.ts";
import { deleteWorker, upsertWorker } from "#core/process/worker-processes.ts";
import { deleteOldRequests } from "#holders/manage/delete-old-requests.ts";
import {
  processSome,
  REQUESTS_JOB,
  type RequestOptions,
  repeatDeletion,
  repeatRequests,
} from "#holders/manage/jobs.ts";
import { abilitiesOf, type ProcessedRequests } from "#holders/manage/process-requests.ts";
import type { HolderSettings } from "#holders/manage/settings.ts";
import { isStandingBehind } from "#list/epochs.ts";
import type { Refreshed } from "#list/manage/refresh-standing.ts";
import { findStandingDelay } from "#list/manage/standing-schedule.ts";
import { type ProtectionsWatch, watchProtections } from "#restore/watch-protections.ts";
import { queueNextOfAll } from "#scores/manage/queue-recalculation.ts";
import { type Recalculated, recalculateDue } from "#scores/manage/recalculate.ts";
import { findQueuedTo } from "#scores/manage/recalculation-of-all.ts";
import { hasDue } from "#scores/manage/recalculation-queue.ts";
import { deleteOldHistory } from "#scores/manage/record-score-changes.ts";
import { deleteOldUsage } from "#usage/manage/delete-old-usage.ts";
import { openWakeSignal } from "./wake-signal.ts";

export type WorkEvents = {
  /** How many days counts of requests are kept. */
  usageRetentionDays: number;
  /** For requests of holders. */
  holders: HolderSettings;
  /** The file of protections that this worker keeps. */
  protectionsFile?: string | null;
  /** The database is older than that file. */
  onOlder?: (message: string) => void;
  onRequests: (processed: ProcessedRequests) => void;
  onRecalculated: (batch: Recalculated) => void;
  onStanding: (refreshed: Refreshed) => void;
  /** Builds a new epoch; null when another process is building one. */
  refreshStanding: () => Promise<Refreshed | null>;
  onFailure: (job: string, error: unknown) => void;
};

export type WorkOptions = WorkEvents & {
  /** Maximum age of the standing while people change. */
  standingMaxAgeMs: number;
  /** How often to look for work without being woken. */
  pollMs?: number;
  /** Stops the worker after the current batch. */
  signal: AbortSignal;
};

const BATCH_PEOPLE = 500;
/** A build is expensive: a failed one is retried later. */
const RETRY_BUILD_MS = 60_000;
const RETRY_OUTAGE_MS = 2_000;
/** However many notices wake the worker, a job looks for work at most this often. */
const MIN_PAUSE_MS = 50;
const HOUR_MS = 3_600_000;
const REPORT_WORKER_MS = 30_000;
/** How often the file of protections is compared with the database. */
const CHECK_PROTECTIONS_MS = 30_000;
const PROTECTIONS_JOB = "write the file of protections";
const BUILD_JOB = "build the list";

/**
 * Works until `signal`: recalculates people who are due, finishes a change of the carried fields,
 * carries out requests of holders, refreshes the standing, deletes old score changes, usage and
 * requests, and writes the file of protections.
 */
export async function work(database: Database, options: WorkOptions): Promise<void> {
  const { standingMaxAgeMs, pollMs = POLL_MS } = options;
  const protections = protectionsOf(database, options);
  const build = builder(database, options);
  // Before the first report of this worker, which stops others from processing requests.
  await protections.isCurrent().catch((error) => options.onFailure(PROTECTIONS_JOB, error));
  await withJobs(database, options, (repeat, signal) => [
    repeat(PROTECTIONS_JOB, POLL_MS, async () => {
      await protections.isCurrent();
      await protections.write();
      await pause(CHECK_PROTECTIONS_MS, signal);
      return 0;
    }),
    repeat("recalculate", POLL_MS, async () => ((await recalculateSome(database, options)) ? 0 : pollMs)),
    repeat("present people with the carried fields", POLL_MS, async () => {
      return (await presentNext(database)) > 0 ? 0 : pollMs;
    }),
    repeatRequests(database, options, repeat, protections.isCurrent),
    repeat(BUILD_JOB, RETRY_BUILD_MS, async () => {
      const delayMs = await findStandingDelay(database, standingMaxAgeMs);
      if (delayMs !== 0) return Math.min(delayMs ?? pollMs, pollMs);
      return build();
    }),
    deleteOldHourly(database, { ...options, signal }),
    ...keepHolderTables(database, { ...options, signal }, repeat, protections),
  ]);
  // A restore after this should lack as little as possible.
  await protections.write(0).catch((error) => options.onFailure(PROTECTIONS_JOB, error));
}

/**
 * Builds the list, unless another process does. Returns how long to pause. A build that an outage
 * interrupts is repeated soon, but not for ever: it may be the cause, if it takes too much memory.
 */
function builder(database: Database, { pollMs = POLL_MS, ...options }: WorkOptions): () => Promise<number> {
  let interruptions = 0;
  return async () => {
    try {
      const isBuilt = await unlessClaimed(database, () => refresh(options));
      interruptions = 0;
      return isBuilt === true ? 0 : pollMs;
    } catch (error) {
      if (!(error instanceof DatabaseDown)) throw error;
      options.onFailure(BUILD_JOB, error);
      await pause(Math.min(RETRY_BUILD_MS, RETRY_OUTAGE_MS * 2 ** interruptions), options.signal);
      interruptions += 1;
      return 0;
    }
  };
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

/** Deletes old requests, and shows other processes that this worker runs. */
function keepHolderTables(
  database: Database,
  { holders, signal }: RequestOptions,
  repeat: Repeat,
  protections: ProtectionsWatch,
): Promise<void>[] {
  return [repeatDeletion(database, signal, repeat), reportWorker(database, holders, signal, repeat, protections)];
}

/** Keeps the row of this worker until it ends. */
async function reportWorker(
  database: Database,
  holders: HolderSettings,
  signal: AbortSignal,
  repeat: Repeat,
  protections: ProtectionsWatch,
): Promise<void> {
  const workerId = randomUUID();
  await repeat("report that this worker runs", POLL_MS, async () => {
    await upsertWorker(database, workerId, abilitiesOf(holders), protections.report());
    await pause(REPORT_WORKER_MS, signal);
    return 0;
  });
  // Without it, others notice the end by the time in the row.
  await deleteWorker(database, workerId).catch(() => {});
}

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
        // An outage of the database is no fault of the step: it may be over soon.
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
  await protections.write(0).catch((error) => events.onFailure(PROTECTIONS_JOB, error));
  if (await isStandingBehind(database)) await refresh(events);
}

/** Refreshes the standing. False when another process is building it. */
async function refresh({ refreshStanding, onStanding }: WorkEvents): Promise<boolean> {
  const refreshed = await refreshStanding();
  if (refreshed !== null) onStanding(refreshed);
  return refreshed !== null;
}

/** Recalculates one batch, and continues a recalculation of everyone. False if nothing was due. */
async function recalculateSome(
  database: Database,
  { onRecalculated }: Pick<WorkEvents, "onRecalculated">,
): Promise<boolean> {
  const batch = await recalculateDue(database, BATCH_PEOPLE);
  if (batch.people > 0) onRecalculated(batch);
  const queued = await queueNextOfAll(database);
  return queued || batch.people > 0;
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

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
