import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/database/database.ts";
import { findServerFacts } from "#core/database/server.ts";
import type { NodeReport } from "#core/process/ask-nodes.ts";
import { listWorkers } from "#core/process/worker-processes.ts";
import type { Check } from "#core/terminal/check.ts";
import { findWaitingRequests, type WaitingRequests } from "#holders/waiting-requests.ts";
import { countKeys, type KeyCounts } from "#keys/manage/api-keys.ts";
import { findListAge, findUnlistedSeconds } from "#list/epochs.ts";
import { countPeople, type PeopleCounts } from "#people/facts/people.ts";
import { countCallers, type RecentCallers } from "#usage/manage/usage-reports.ts";
import { diagnose, PREREQUISITES } from "./diagnose.ts";

/** What runs at the moment. Null: this role may not read it, or there is none. */
export type Status = {
  database: { name: string; server: string };
  list: { people: number; age_seconds: number; unlisted_seconds: number } | null;
  people: PeopleCounts | null;
  requests:
    | (Pick<WaitingRequests, "requests" | "in_review" | "erasures_accepted" | "erasures_overdue"> & {
        workers: number;
      })
    | null;
  keys: KeyCounts | null;
  callers: RecentCallers | null;
  /** What `doctor` would complain about. */
  complaints: Check[];
};

/** Today and yesterday. */
const CALLER_DAYS = 2;

/** With a schema that is not current, or a role without rights, only the server and the complaints. */
export async function readStatus(database: Database, config: Config, nodes: readonly NodeReport[]): Promise<Status> {
  const { database: name, versionText } = await findServerFacts(database);
  const checks = await diagnose(database, config, nodes);
  const status: Status = {
    database: { name, server: `PostgreSQL ${versionText}` },
    list: null,
    people: null,
    requests: null,
    keys: null,
    callers: null,
    complaints: checks.filter(({ state }) => state !== "ok"),
  };
  const isReadable = !checks.some(({ name, state }) => PREREQUISITES.includes(name) && state === "problem");
  return isReadable ? { ...status, ...(await readParts(database)) } : status;
}

async function readParts(database: Database) {
  const { requests, in_review, erasures_accepted, erasures_overdue } = await findWaitingRequests(database);
  const running = (await listWorkers(database)).filter(({ is_running }) => is_running);
  return {
    list: { ...(await findListAge(database)), unlisted_seconds: await findUnlistedSeconds(database) },
    people: await countPeople(database),
    requests: { requests, in_review, erasures_accepted, erasures_overdue, workers: running.length },
    keys: await countKeys(database),
    callers: await countCallers(database, CALLER_DAYS),
  };
}
