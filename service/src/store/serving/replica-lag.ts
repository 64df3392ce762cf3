import { type Connection, queryValue } from "#store/engine/database.ts";

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
export async function findReplayedPosition(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ position: string | null }>({
    name: "replayed-position",
    text: "select pg_last_wal_replay_lsn() - '0/0'::pg_lsn as position",
  });
  return Number(rows[0]?.position ?? Number.POSITIVE_INFINITY);
}
