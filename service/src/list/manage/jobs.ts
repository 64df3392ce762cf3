import type { Database } from "#core/database/database.ts";
import { ReplicaInsteadOfPrimary } from "#core/database/failures.ts";
import { unlessClaimed } from "#core/database/locks.ts";
import { isInRecovery } from "#core/database/wrong-server.ts";
import type { Job } from "#core/process/job.ts";
import type { Refreshed } from "./refresh-standing.ts";
import { findStandingDelay } from "./standing-schedule.ts";

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

/** Builds the list when people have changed, unless another process does. */
export const buildJob = (database: Database, options: BuildOptions, everyMs: number): Job => ({
  name: "build the list",
  everyMs,
  wakes: true,
  // A build is expensive, and may be the cause of an outage, if it takes too much memory.
  retryMs: 60_000,
  async run() {
    const delayMs = await findStandingDelay(database, options.standingMaxAgeMs);
    if (delayMs !== 0) return Math.min(delayMs ?? everyMs, everyMs);
    try {
      return (await unlessClaimed(database, () => buildList(options))) === true ? 0 : undefined;
    } catch (error) {
      // The build may have failed because the database went away: then this throws, or it is a replica.
      if (await isInRecovery(database)) throw new ReplicaInsteadOfPrimary();
      throw error;
    }
  },
});

/** Builds the list. False when another process is building it. */
export async function buildList({ refreshStanding, onStanding }: BuildEvents): Promise<boolean> {
  const refreshed = await refreshStanding();
  if (refreshed !== null) onStanding(refreshed);
  return refreshed !== null;
}
