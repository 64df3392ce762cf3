import type { Refreshed } from "#operations/standing/refresh-standing.ts";
import type { Database } from "#store/engine/database.ts";
import { hasCorrections } from "#store/standing/corrections.ts";
import { findCurrentEpoch, isStandingBehind } from "#store/standing/epochs.ts";

/** A build is expensive for the database: pause at least this many times its duration before the next. */
const MIN_PAUSE_PER_BUILD = 4;

/** Builds a new epoch; null when another process is building one. */
export type RefreshStanding = () => Promise<Refreshed | null>;

/** Time until the next build of the standing is due: 0 for now, null while it is up to date. */
export async function findStandingDelay(database: Database, maxAgeMs: number): Promise<number | null> {
  const isCorrected = await hasCorrections(database);
  if (!isCorrected && !(await isStandingBehind(database))) return null;
  const { built_at, build_ms } = await findCurrentEpoch(database);
  // Pages already skip removed people, but the total still counts them: rebuild as soon as possible.
  const intervalMs = isCorrected ? 0 : maxAgeMs;
  // `built_at` is the start of the build.
  const minIntervalMs = (1 + MIN_PAUSE_PER_BUILD) * build_ms;
  return Math.max(0, built_at.getTime() + Math.max(intervalMs, minIntervalMs) - Date.now());
}

/** Refreshes the standing if it is due. `pauseMs` is the time to wait before the next check. */
export async function refreshIfDue(
  database: Database,
  maxAgeMs: number,
  pollMs: number,
  refresh: RefreshStanding,
): Promise<{ refreshed: Refreshed | null; pauseMs: number }> {
  const delayMs = await findStandingDelay(database, maxAgeMs);
  if (delayMs !== 0) return { refreshed: null, pauseMs: Math.min(delayMs ?? pollMs, pollMs) };
  const refreshed = await refresh();
  // Null: another process is building it.
  return { refreshed, pauseMs: refreshed === null ? pollMs : 0 };
}
