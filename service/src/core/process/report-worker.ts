import { randomUUID } from "node:crypto";
import type { Connection, Database } from "#core/database/database.ts";
import { type Job, POLL_MS } from "./job.ts";
import type { Abilities, WorkerFile } from "./worker-processes.ts";

const REPORT_EVERY_MS = 30_000;

/** Shows other processes that this worker runs, until `end`. */
export function workerReport(
  database: Database,
  abilities: Abilities,
  findFile: () => WorkerFile,
): { job: Job; end: () => Promise<void> } {
  const workerId = randomUUID();
  const job: Job = {
    name: "report that this worker runs",
    everyMs: REPORT_EVERY_MS,
    wakes: false,
    retryMs: POLL_MS,
    async run() {
      await upsertWorker(database, workerId, abilities, findFile());
      return undefined;
    },
  };
  // Without it, others notice the end by the time in the row.
  return { job, end: () => deleteWorker(database, workerId).catch(() => {}) };
}

/** Inserts or renews the row of a worker, and what it sees. */
export async function upsertWorker(
  connection: Connection,
  workerId: string,
  { verifies, erases }: Abilities,
  { ageMs, isOlder }: WorkerFile,
): Promise<void> {
  await connection.query(
    `insert into worker_process (worker_id, verifies, erases, requests_waiting, oldest_waiting_at, erasures_overdue,
       file_current_at, is_older_than_file)
     select $1, $2, $3, requests, oldest_at, erasures_overdue, now() - $4 * interval '1 millisecond', $5 from waiting_requests()
     on conflict (worker_id) do update set seen_at = now(), erases = excluded.erases,
       requests_waiting = excluded.requests_waiting, oldest_waiting_at = excluded.oldest_waiting_at,
       erasures_overdue = excluded.erasures_overdue, file_current_at = excluded.file_current_at,
       is_older_than_file = excluded.is_older_than_file`,
    [workerId, verifies, erases, ageMs, isOlder],
  );
  await connection.query("delete from worker_process where seen_at < now() - interval '1 day'");
}

async function deleteWorker(connection: Connection, workerId: string): Promise<void> {
  await connection.query("delete from worker_process where worker_id = $1", [workerId]);
}
