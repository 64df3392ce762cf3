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
  file_age_seconds: number | null;
  is_older_than_file: boolean;
};

/** The file of decisions: how long ago it was last up to date, and whether the database lacks decisions of it. */
export type WorkerFile = { ageMs: number | null; isOlder: boolean };

/** Whether a running worker has found that this database lacks decisions of its file. */
export const isOlderThanFile = (connection: Connection): Promise<boolean> =>
  queryValue(
    connection,
    "select exists (select from worker_process where is_older_than_file and seen_at > now() - interval '90 seconds')",
  );

/** Newest first. */
export async function listWorkers(connection: Connection): Promise<WorkerReport[]> {
  const { rows } = await connection.query<WorkerReport>(
    `select started_at, seen_at, seen_at > now() - interval '90 seconds' as is_running, verifies, erases, requests_waiting,
       oldest_waiting_at, erasures_overdue, is_older_than_file,
       extract(epoch from now() - file_current_at)::double precision as file_age_seconds
     from worker_process order by seen_at desc`,
  );
  return rows;
}

/** Why work may wait: nobody does it, or it fails. */
export async function describeWorkers(connection: Connection): Promise<string> {
  const running = (await listWorkers(connection)).filter(({ is_running }) => is_running);
  if (running.length === 0) return "No worker runs, or none can write to the database: start `credence work`.";
  return `${running.length === 1 ? "A worker runs" : `${running.length} workers run`}: its log says what fails.`;
}
