import type { Database } from "#core/database/database.ts";
import { findCurrentEpoch, isStandingBehind } from "#list/epochs.ts";
import { hasCorrections } from "./corrections.ts";

/** A build is expensive for the database: pause at least this many times its duration after it. */
const MIN_PAUSE_PER_BUILD = 4;

/** Time until the next build of the standing is due: 0 for now, null while it is up to date. */
export async function findStandingDelay(database: Database, maxAgeMs: number): Promise<number | null> {
  const isCorrected = await hasCorrections(database);
  if (!isCorrected && !(await isStandingBehind(database))) return null;
  const { age_seconds, build_ms } = await findCurrentEpoch(database);
  // Pages already skip removed people, but the total still counts them: rebuild soon.
  const intervalMs = isCorrected ? 0 : maxAgeMs;
  // The age counts from the start of the build.
  const minIntervalMs = (1 + MIN_PAUSE_PER_BUILD) * build_ms;
  return Math.max(0, Math.max(intervalMs, minIntervalMs) - age_seconds * 1_000);
}
