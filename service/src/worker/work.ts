import { setTimeout as delay } from "node:timers/promises";
import { queueNextOfAll } from "#operations/scores/queue-recalculation.ts";
import { type Recalculated, recalculateDue } from "#operations/scores/recalculate.ts";
import { deleteOldHistory } from "#operations/scores/record-score-changes.ts";
import type { Refreshed } from "#operations/standing/refresh-standing.ts";
import type { Database } from "#store/engine/database.ts";
import { findQueuedTo } from "#store/scores/recalculation-of-all.ts";
import { hasDue } from "#store/scores/recalculation-queue.ts";
import { isStandingBehind } from "#store/standing/epochs.ts";
import { type Alarm, openAlarm } from "./alarm.ts";
import { keepStanding, type RefreshStanding } from "./keep-standing.ts";

export type WorkEvents = {
  onRecalculated: (batch: Recalculated) => void;
  onStanding: (refreshed: Refreshed) => void;
  refreshStanding: RefreshStanding;
};

export type WorkOptions = WorkEvents & {
  /** How old the list may get while people change. */
  standingMaxAgeMs: number;
  /** Without being woken, how often to look. */
  lookAgainMs?: number;
  /** Work ends when what is under way is done. */
  signal: AbortSignal;
  onFailure: (job: string, error: unknown) => void;
};

const BATCH_PEOPLE = 500;
/** How long to leave alone what has failed; and, by default, how often to look without being woken. */
const LOOK_AGAIN_MS = 5_000;
/** A failed build is expensive: the next one waits longer. */
const REST_AFTER_BUILD_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Works until told to stop: recalculates whoever is due, keeps the list fresh, forgets old history. */
export async function work(database: Database, options: WorkOptions): Promise<void> {
  const { signal, standingMaxAgeMs, lookAgainMs = LOOK_AGAIN_MS } = options;
  const alarm = openAlarm(database, signal);
  const run = (job: string, step: () => Promise<number>, restMs = LOOK_AGAIN_MS) =>
    repeat(job, step, restMs, alarm, options);
  try {
    await Promise.all([
      run("recalculate", async () => ((await recalculateSome(database, options)) ? 0 : lookAgainMs)),
      run(
        "refresh the standing",
        async () => {
          const { refreshStanding } = options;
          const { refreshed, pauseMs } = await keepStanding(database, standingMaxAgeMs, lookAgainMs, refreshStanding);
          if (refreshed !== null) options.onStanding(refreshed);
          return pauseMs;
        },
        REST_AFTER_BUILD_MS,
      ),
      forgetNowAndThen(database, options),
    ]);
  } finally {
    alarm.close();
  }
}

/** Does what there is to do now, with other workers or without, and ends. */
export async function workUntilDone(database: Database, events: WorkEvents): Promise<void> {
  for (;;) {
    if (await recalculateSome(database, events)) continue;
    if (!(await hasDue(database, 1)) && (await findQueuedTo(database)) === null) break;
    // The rest is in the hands of other workers: if one of them dies, it is due again.
    await delay(100);
  }
  await deleteOldHistory(database);
  if (!(await isStandingBehind(database))) return;
  const refreshed = await events.refreshStanding();
  if (refreshed !== null) events.onStanding(refreshed);
}

/** One batch, and the next of all if few are due. False if there was nothing to do. */
async function recalculateSome(
  database: Database,
  { onRecalculated }: Pick<WorkEvents, "onRecalculated">,
): Promise<boolean> {
  const batch = await recalculateDue(database, BATCH_PEOPLE);
  if (batch.people > 0) onRecalculated(batch);
  const queued = await queueNextOfAll(database);
  return queued || batch.people > 0;
}

/** Takes one step after the other; each says how long to rest after it unless there is a call. */
async function repeat(
  job: string,
  step: () => Promise<number>,
  restMs: number,
  alarm: Alarm,
  options: WorkOptions,
): Promise<void> {
  const { signal, onFailure } = options;
  while (!signal.aborted) {
    const bell = alarm.bell();
    try {
      const pauseMs = await step();
      if (pauseMs > 0) await bell.ringsOrAfter(pauseMs);
    } catch (error) {
      onFailure(job, error);
      await rest(restMs, signal);
    }
  }
}

async function forgetNowAndThen(database: Database, { signal, onFailure }: WorkOptions): Promise<void> {
  while (!signal.aborted) {
    await deleteOldHistory(database).catch((error) => onFailure("forget old history", error));
    await rest(HOUR_MS, signal);
  }
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
