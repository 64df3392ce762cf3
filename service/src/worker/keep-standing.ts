import type { Refreshed } from "#operations/standing/refresh-standing.ts";
import type { Database } from "#store/engine/database.ts";
import { hasCorrections } from "#store/standing/corrections.ts";
import { findCurrentEpoch, isStandingBehind } from "#store/standing/epochs.ts";

/** A build costs the database much: it rests at least so many times as long as the last one took. */
const REST = 4;

/** Builds a new epoch; null when another process is building one. */
export type RefreshStanding = () => Promise<Refreshed | null>;

/** How long until the list should be built anew: 0 for now, null while it is up to date. */
export async function findStandingDelay(database: Database, maxAgeMs: number): Promise<number | null> {
  const corrected = await hasCorrections(database);
  if (!corrected && !(await isStandingBehind(database))) return null;
  const { built_at, build_ms } = await findCurrentEpoch(database);
  // Whoever left it is gone from it already, but its total counts them: that is mended as soon as may be.
  const wanted = corrected ? 0 : maxAgeMs;
  // It bears the time at which its build began.
  return Math.max(0, built_at.getTime() + Math.max(wanted, (1 + REST) * build_ms) - Date.now());
}

/** Builds the list anew if it is time. Returns what was built, and how long to wait before looking again. */
export async function keepStanding(
  database: Database,
  maxAgeMs: number,
  lookAgainMs: number,
  refresh: RefreshStanding,
): Promise<{ refreshed: Refreshed | null; pauseMs: number }> {
  const delayMs = await findStandingDelay(database, maxAgeMs);
  if (delayMs !== 0) return { refreshed: null, pauseMs: Math.min(delayMs ?? lookAgainMs, lookAgainMs) };
  const refreshed = await refresh();
  // Another worker is at it, if not this one.
  return { refreshed, pauseMs: refreshed === null ? lookAgainMs : 0 };
}
