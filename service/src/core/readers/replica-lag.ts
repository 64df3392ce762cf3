import type { PoolClient } from "pg";
import { type Connection, queryValue } from "#core/database/database.ts";
import { ReplicaBehind } from "#core/database/failures.ts";

/** The lag is measured once a second. */
const MIN_LAG_MS = 2_000;

/**
 * The largest lag at which a replica is read. An answer from a replica is already behind when it is
 * cached: half of CACHE_MAX_AGE is reserved for the lag, so that the sum stays within it.
 */
export const lagLimitMs = (cacheMaxAgeMs: number): number => Math.max(MIN_LAG_MS, cacheMaxAgeMs / 2);

/** The primary's WAL position at a time. `at` is taken before the position is queried. */
type Sample = { at: number; position: number };

const MAX_SAMPLES = 1_000;

/** Maps WAL positions to times, to find out how old the state of a replica is. */
export type LagTracker = {
  record: (sample: Sample) => void;
  /** The last sampled time whose writes are all replayed; null if before all samples. */
  asOf: (replayedPosition: number) => number | null;
};

/**
 * Compares WAL positions with the primary. pg_last_xact_replay_timestamp() stands still while
 * nothing is written, and the received position of a disconnected replica does not show what it
 * misses.
 */
export function createLagTracker(): LagTracker {
  let samples: Sample[] = [];
  return {
    record(sample) {
      samples = [...samples, sample].slice(-MAX_SAMPLES);
    },
    asOf: (replayedPosition) => samples.findLast((sample) => sample.position <= replayedPosition)?.at ?? null,
  };
}

export async function findWalPosition(connection: Connection): Promise<number> {
  return Number(await queryValue<string>(connection, "select pg_current_wal_lsn() - '0/0'::pg_lsn"));
}

/** The replayed WAL position; infinity if the server is no replica, such as a promoted one. */
async function findReplayedPosition(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ position: string | null }>({
    name: "replayed-position",
    text: "select pg_last_wal_replay_lsn() - '0/0'::pg_lsn as position",
  });
  return Number(rows[0]?.position ?? Number.POSITIVE_INFINITY);
}

/**
 * Checks the lag of each connection separately, as several replicas may share an address. A
 * connection whose state was current at a time is admitted for `maxLagMs` after it, even if its
 * server stops replaying. Then it is checked again.
 */
export function createLagCheck(tracker: LagTracker, maxLagMs: number, isPrimaryUp: () => boolean) {
  const currentAsOf = new WeakMap<PoolClient, number>();
  let lastCheckedAsOf: number | null = null;
  let discarded = 0;
  const isWithinLimit = (asOf: number | null | undefined): asOf is number =>
    asOf !== null && asOf !== undefined && performance.now() - asOf <= maxLagMs;
  const check = async (connection: PoolClient) => {
    const asOf = tracker.asOf(await findReplayedPosition(connection));
    lastCheckedAsOf = asOf ?? lastCheckedAsOf;
    if (isWithinLimit(asOf)) {
      currentAsOf.set(connection, asOf);
      return;
    }
    // Without the primary the lag is unknown, and there is nothing else to read.
    if (!isPrimaryUp()) return;
    discarded += 1;
    throw new ReplicaBehind();
  };
  return {
    admit: (connection: PoolClient) => (isWithinLimit(currentAsOf.get(connection)) ? null : check(connection)),
    check,
    lagMs: () =>
      lastCheckedAsOf === null ? Number.POSITIVE_INFINITY : Math.max(0, performance.now() - lastCheckedAsOf),
    discarded: () => discarded,
  };
}
