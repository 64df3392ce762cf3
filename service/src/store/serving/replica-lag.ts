import type { Connection } from "#store/engine/database.ts";

/** Where the primary was writing at a moment, in bytes of its log. */
type Sample = { at: number; written: number };

const MOST_SAMPLES = 1_000;

/** Knows what the primary had written when, and so how old a state is that a replica has replayed. */
export type LagClock = {
  /** `at` is a moment before the primary was asked. */
  note: (sample: Sample) => void;
  /** The last known moment of whose writes this position holds everything; null if it holds less than any that is known. */
  heldAt: (replayed: number) => number | null;
};

/**
 * Not by the clock of a replica's last transaction, which stands still when nobody writes, nor by what it has received, which is
 * nothing when it is cut off.
 */
export function createLagClock(): LagClock {
  let samples: Sample[] = [];
  return {
    note(sample) {
      samples = [...samples, sample].slice(-MOST_SAMPLES);
    },
    heldAt: (replayed) => samples.findLast((sample) => sample.written <= replayed)?.at ?? null,
  };
}

export async function findWalPosition(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ position: string }>(
    "select pg_current_wal_lsn() - '0/0'::pg_lsn as position",
  );
  return Number(rows[0]?.position);
}

/** How far a replica has replayed. A server that is none, having been promoted perhaps, holds everything. */
export async function findReplayedPosition(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ position: string | null }>({
    name: "replayed-position",
    text: "select pg_last_wal_replay_lsn() - '0/0'::pg_lsn as position",
  });
  return Number(rows[0]?.position ?? Number.POSITIVE_INFINITY);
}
