import type { Config } from "#config.ts";
import { countKeys, type KeyCounts } from "#store/access/api-keys.ts";
import type { Connection, Database } from "#store/engine/database.ts";
import { findServerFacts } from "#store/engine/server.ts";
import { findWaitingRequests, listWorkers, type WaitingRequests } from "#store/holder-requests/worker-processes.ts";
import { countPeople, type PeopleCounts } from "#store/people/people-counts.ts";
import { findBacklog } from "#store/scores/recalculation-queue.ts";
import { findUnlistedSeconds } from "#store/standing/epochs.ts";
import { countCallers, type RecentCallers } from "#store/usage/usage-reports.ts";
import type { Check } from "./check.ts";
import { diagnose } from "./diagnose.ts";

/** What runs at the moment. Null: this role may not read it, or there is none. */
export type Status = {
  database: { name: string; server: string };
  list: { people: number; age_seconds: number; unlisted_seconds: number } | null;
  people: PeopleCounts | null;
  recalculation: { due: number; set_aside: number } | null;
  requests: (Pick<WaitingRequests, "requests" | "unverifiable" | "erasures_overdue"> & { workers: number }) | null;
  keys: KeyCounts | null;
  callers: RecentCallers | null;
  /** What `doctor` would complain about. */
  complaints: Check[];
};

/** Today and yesterday. */
const CALLER_DAYS = 2;

/** Reads everything with one role. Of a schema that is not current, only the server and the complaints. */
export async function readStatus(database: Database, config: Config): Promise<Status> {
  const { database: name, versionText } = await findServerFacts(database);
  const checks = await diagnose(database, config);
  const status: Status = {
    ...{ database: { name, server: `PostgreSQL ${versionText}` }, list: null, people: null, recalculation: null },
    ...{ requests: null, keys: null, callers: null },
    complaints: checks.filter(({ state }) => state !== "ok"),
  };
  const isReadable = !checks.some(({ name, state }) => name === "schema" && state === "problem");
  return isReadable && checks.length > 1 ? { ...status, ...(await readParts(database)) } : status;
}

async function readParts(database: Database) {
  const { due, set_aside } = await findBacklog(database);
  const { requests, unverifiable, erasures_overdue } = await findWaitingRequests(database);
  const running = (await listWorkers(database)).filter(({ is_running }) => is_running);
  return {
    list: await readList(database),
    people: await countPeople(database),
    recalculation: { due, set_aside },
    requests: { requests, unverifiable, erasures_overdue, workers: running.length },
    keys: await countKeys(database),
    callers: await countCallers(database, CALLER_DAYS),
  };
}

/** Ages are by the database's clock. */
async function readList(connection: Connection): Promise<Status["list"]> {
  const { rows } = await connection.query<{ people: number; age_seconds: number }>(
    `select total as people, extract(epoch from now() - built_at)::double precision as age_seconds
     from standing_epoch order by epoch desc limit 1`,
  );
  const [row] = rows;
  return row === undefined ? null : { ...row, unlisted_seconds: await findUnlistedSeconds(connection) };
}
