import type { Connection } from "./database.ts";

/** Where the primary was writing at a moment, in bytes of its log. */
export type Sample = { at: number; written: number };
/** `heldAt` is the last moment of which the replica is known to hold everything; null before there is one. */
export type LagWatch = { samples: readonly Sample[]; heldAt: number | null };

const MOST_SAMPLES = 1_000;

export async function findWalPosition(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ position: string }>(
    "select pg_current_wal_lsn() - '0/0'::pg_lsn as position",
  );
  return Number(rows[0]?.position);
}

/** How far a replica has come. A server that is none, having been promoted perhaps, has come all the way. */
export async function findReplayedPosition(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ position: string | null }>(
    "select pg_last_wal_replay_lsn() - '0/0'::pg_lsn as position",
  );
  return Number(rows[0]?.position ?? Number.POSITIVE_INFINITY);
}

/**
 * How far behind the replica is, at most. Not by the clock of its last transaction, which stands still when nobody writes, nor by what
 * it has received, which is nothing when it is cut off.
 */
export const lagOf = ({ heldAt }: LagWatch, now: number): number =>
  heldAt === null ? Number.POSITIVE_INFINITY : Math.max(0, now - heldAt);

/** `now` is a moment before the primary was asked. */
export function watchLag(
  { samples, heldAt }: LagWatch,
  { written, replayed, now }: { written: number; replayed: number; now: number },
): LagWatch {
  const known = [...samples, { at: now, written }].slice(-MOST_SAMPLES);
  const held = known.findLastIndex((sample) => sample.written <= replayed);
  return held === -1 ? { samples: known, heldAt } : { samples: known.slice(held), heldAt: (known[held] as Sample).at };
}
