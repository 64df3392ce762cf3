import type { Database } from "#core/database/database.ts";
import { DatabaseDown } from "#core/database/failures.ts";
import { unlessClaimed } from "#core/database/locks.ts";
import { pause, RETRY_OUTAGE_MS, type Repeat } from "#core/process/repeat.ts";
import type { Refreshed } from "./refresh-standing.ts";
import { findStandingDelay } from "./standing-schedule.ts";

// The job of a worker that builds the list.

const BUILD_JOB = "build the list";
/** A build is expensive: a failed one is retried later. */
const RETRY_BUILD_MS = 60_000;

export type BuildEvents = {
  /** Builds a new epoch; null when another process is building one. */
  refreshStanding: () => Promise<Refreshed | null>;
  onStanding: (refreshed: Refreshed) => void;
};

export type BuildOptions = BuildEvents & {
  /** Maximum age of the standing while people change. */
  standingMaxAgeMs: number;
  onFailure: (job: string, error: unknown) => void;
};

/** Builds the list when it is due. */
export function repeatBuild(
  database: Database,
  options: BuildOptions,
  repeat: Repeat,
  pollMs: number,
  signal: AbortSignal,
): Promise<void> {
  const build = builder(database, options, pollMs, signal);
  return repeat(BUILD_JOB, RETRY_BUILD_MS, async () => {
    const delayMs = await findStandingDelay(database, options.standingMaxAgeMs);
    if (delayMs !== 0) return Math.min(delayMs ?? pollMs, pollMs);
    return build();
  });
}

/**
 * Builds the list, unless another process does. Returns how long to pause. A build that an outage
 * interrupts is repeated soon, but not for ever: it may be the cause, if it takes too much memory.
 */
function builder(
  database: Database,
  options: BuildOptions,
  pollMs: number,
  signal: AbortSignal,
): () => Promise<number> {
  let interruptions = 0;
  return async () => {
    try {
      const isBuilt = await unlessClaimed(database, () => buildList(options));
      interruptions = 0;
      return isBuilt === true ? 0 : pollMs;
    } catch (error) {
      if (!(error instanceof DatabaseDown)) throw error;
      options.onFailure(BUILD_JOB, error);
      await pause(Math.min(RETRY_BUILD_MS, RETRY_OUTAGE_MS * 2 ** interruptions), signal);
      interruptions += 1;
      return 0;
    }
  };
}

/** Builds the list. False when another process is building it. */
export async function buildList({ refreshStanding, onStanding }: BuildEvents): Promise<boolean> {
  const refreshed = await refreshStanding();
  if (refreshed !== null) onStanding(refreshed);
  return refreshed !== null;
}
