import { type Connection, queryValue } from "#core/database/database.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import type { Remembered } from "./judge-latest.ts";

/** What this server follows. `now` is the database's time. */
export type MirrorOf = Remembered & {
  url: string;
  basis: string;
  keys: string[];
  began_at: Date;
  expires_at: Date | null;
  held_people: number;
  failure: string | null;
  failed_since: Date | null;
  taken_over_at: Date | null;
  now: Date;
};

/** Null if this server is no mirror and never was one. */
export async function findMirrorOf(connection: Connection): Promise<MirrorOf | null> {
  const { rows } = await connection.query<MirrorOf>(
    `select url, basis, keys, began_at, feed, latest_at, polled_at, expires_at, created_at, manifest_sha256, continues,
       held_people, failure, failed_since, taken_over_at, clock_timestamp() as now
     from mirror_of`,
  );
  return rows[0] ?? null;
}

export const findDatabaseTime = (connection: Connection): Promise<Date> =>
  queryValue(connection, "select clock_timestamp()");

export const hasPeople = (connection: Connection): Promise<boolean> =>
  queryValue(connection, "select exists (select from passport)");

/** A name for downloads that no other database of this machine's mirrors has. */
export const findDownloadName = (connection: Connection): Promise<string> =>
  queryValue(
    connection,
    `select format('credence-mirror-%s-%s', oid, extract(epoch from (select began_at from mirror_of)))
     from pg_database where datname = current_database()`,
  );

export type Following = { url: string; basis: string; keys: readonly string[] };

/** Begins to follow a publisher, or another address or key of it. */
export async function upsertMirrorOf(connection: Connection, { url, basis, keys }: Following): Promise<void> {
  await connection.query(
    `insert into mirror_of as stored (url, basis, keys) values ($1, $2, $3)
     on conflict (only_row) do update set url = excluded.url, basis = excluded.basis, keys = excluded.keys
     where (stored.url, stored.basis, stored.keys) is distinct from (excluded.url, excluded.basis, excluded.keys)`,
    [url, basis, keys],
  );
}

export type ImportedSnapshot = { feed: string; createdAt: string; manifestSha256: string; continues: string | null };

/**
 * In the transaction of the import, which it ends with an error if meanwhile another process has imported a
 * newer snapshot, or this server has taken over.
 */
export async function updateImported(
  connection: Connection,
  { feed, createdAt, manifestSha256, continues }: ImportedSnapshot,
  heldPeople: number,
): Promise<void> {
  const { rowCount } = await connection.query(
    `update mirror_of set feed = $1, created_at = $2, manifest_sha256 = $3, continues = $4, held_people = $5
     where taken_over_at is null and (created_at is null or created_at < $2 or manifest_sha256 is null)`,
    [feed, createdAt, manifestSha256, continues, heldPeople],
  );
  if (rowCount === 0) throw new SnapshotRefused("Another process has imported a newer snapshot.", "Try again.");
}

export async function updateHeldPeople(connection: Connection, heldPeople: number): Promise<void> {
  await connection.query("update mirror_of set held_people = $1 where held_people <> $1", [heldPeople]);
}

/** The publisher vouches for what is stored. */
export async function updateLatest(connection: Connection, at: Date, expiresAt: Date): Promise<void> {
  await connection.query(
    `update mirror_of set latest_at = $1, expires_at = least($2, clock_timestamp() + interval '6 hours'),
       polled_at = clock_timestamp(), has_ended = false, failure = null, failed_since = null
     where latest_at is null or latest_at <= $1`,
    [at, expiresAt],
  );
}

export async function updateFailure(connection: Connection, failure: string, hasEnded: boolean): Promise<void> {
  await connection.query(
    "update mirror_of set failure = left($1, 1000), failed_since = coalesce(failed_since, clock_timestamp()), has_ended = $2",
    [failure, hasEnded],
  );
}

export async function updateTakenOver(connection: Connection, basis: string): Promise<void> {
  await connection.query("update mirror_of set taken_over_at = now(), take_over_basis = $1", [basis]);
}

/** Before everybody is deleted. If the publisher comes back, its snapshot is imported again. */
export async function forgetSnapshot(connection: Connection): Promise<void> {
  await connection.query("update mirror_of set manifest_sha256 = null where manifest_sha256 is not null");
}

/** The feed that this server continues to publish. */
export async function insertPublication(connection: Connection, feed: string, continues: Date): Promise<void> {
  await connection.query(
    `insert into publication (feed, continues) values ($1, $2)
     on conflict (only_row) do update set feed = excluded.feed, continues = excluded.continues`,
    [feed, continues],
  );
}
