import { type Connection, queryValue } from "#core/database/database.ts";

/** What a worker can do: verify new requests, and erase. */
export type Abilities = { verifies: boolean; erases: boolean };

/** A worker of this database, by its clock. */
export type WorkerReport = Abilities & {
  started_at: Date;
  seen_at: Date;
  /** Whether it was seen in the last 90 seconds. */
  is_running: boolean;
  requests_waiting: number;
  oldest_waiting_at: Date | null;
  erasures_overdue: number;
  protections_age_seconds: number | null;
  is_older_than_file: boolean;
};

/** The file of protections: how long ago it was last up to date, and whether the database is older than it. */
export type WorkerProtections = { ageMs: number | null; isOlder: boolean };

/** Inserts or renews the row of a worker, and what it sees. */
export async function upsertWorker(
  connection: Connection,
  workerId: string,
  { verifies, erases }: Abilities,
  { ageMs, isOlder }: WorkerProtections,
): Promise<void> {
  await connection.query(
    `insert into worker_process (worker_id, verifies, erases, requests_waiting, oldest_waiting_at, erasures_overdue,
       protections_current_at, is_older_than_file)
     select $1, $2, $3, requests, oldest_at, erasures_overdue, now() - $4 * interval '1 millisecond', $5 from waiting_requests()
     on conflict (worker_id) do update set seen_at = now(), erases = excluded.erases,
       requests_waiting = excluded.requests_waiting, oldest_waiting_at = excluded.oldest_waiting_at,
       erasures_overdue = excluded.erasures_overdue, protections_current_at = excluded.protections_current_at,
       is_older_than_file = excluded.is_older_than_file`,
    [workerId, verifies, erases, ageMs, isOlder],
  );
  await connection.query("delete from worker_process where seen_at < now() - interval '1 day'");
}

/** Whether a running worker has found that this database is older than its file of protections. */
export const isOlderThanFile = (connection: Connection): Promise<boolean> =>
  queryValue(
    connection,
    "select exists (select from worker_process where is_older_than_file and seen_at > now() - interval '90 seconds')",
  );

export async function deleteWorker(connection: Connection, workerId: string): Promise<void> {
  await connection.query("delete from worker_process where worker_id = $1", [workerId]);
}

/** Newest first. */
export async function listWorkers(connection: Connection): Promise<WorkerReport[]> {
  const { rows } = await connection.query<WorkerReport>(
    `select started_at, seen_at, seen_at > now() - interval '90 seconds' as is_running, verifies, erases, requests_waiting,
       oldest_waiting_at, erasures_overdue, is_older_than_file,
       extract(epoch from now() - protections_current_at)::double precision as protections_age_seconds
     from worker_process order by seen_at desc`,
  );
  return rows;
}
