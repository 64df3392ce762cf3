import type { Logger } from "pino";
import type { Connection } from "#core/database/database.ts";
import { findClockDifference, MAX_CLOCK_DIFFERENCE_SECONDS } from "#core/database/server.ts";

const HOUR_MS = 3_600_000;

/** Warns at the start and once an hour while the clock of this machine differs from the database's. */
export function watchClock(
  log: Logger,
  database: Connection,
  whenReachable: Promise<void> = Promise.resolve(),
): { stop: () => void } {
  const check = async () => {
    const seconds = await findClockDifference(database);
    if (Math.abs(seconds) <= MAX_CLOCK_DIFFERENCE_SECONDS) return;
    log.warn(
      { seconds: Math.round(seconds) },
      "this machine's clock differs from the database's, by the seconds that it is ahead: synchronise both; requests of holders may be refused, and V1 ends at another time",
    );
  };
  // An unreachable database is reported elsewhere.
  const checkIfReachable = () => void check().catch(() => {});
  whenReachable.then(checkIfReachable, () => {});
  const timer = setInterval(checkIfReachable, HOUR_MS).unref();
  return { stop: () => clearInterval(timer) };
}
