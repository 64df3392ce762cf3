import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/database/database.ts";
import { findSchemaState, isEmpty, UnknownSchema } from "#core/database/migrations.ts";
import { findClockDifference, findServerFacts, MAX_CLOCK_DIFFERENCE_SECONDS } from "#core/database/server.ts";
import { isInRecovery, requireUsableServer } from "#core/database/wrong-server.ts";
import type { NodeReport } from "#core/process/ask-nodes.ts";
import { type Check, type Finding, notChecked } from "#core/terminal/check.ts";
import { formatNumber } from "#core/terminal/output.ts";
import { checkDecisionsFile, checkErasures } from "#decisions/check-decisions.ts";
import { isDemoDatabase } from "#demo/demo-mark.ts";
import { checkRequests } from "#holders/manage/check-requests.ts";
import { checkKeys } from "#keys/manage/check-keys.ts";
import { checkStanding } from "#list/manage/check-standing.ts";
import { checkDocuments } from "#people/documents/check-documents.ts";
import { findRoleRights } from "#rights/serving-rights.ts";
import { checkFilters, checkOtherPaths, checkUnknownKeys } from "#usage/manage/check-usage.ts";
import { checkBackups } from "./check-backups.ts";
import { checkOwner } from "./check-owner.ts";
import { checkSettings } from "./check-settings.ts";

/** Later checks depend on these, and so does every other reading. */
export const PREREQUISITES = ["database", "role", "schema"];

/** A demo has one role, no file of decisions, and settings of its own. */
const NOT_FOR_A_DEMO = ["owner", "settings", "decisions"];
const DEMO = notChecked("this is the database of a demo");

/**
 * Checks everything that serving depends on, with the role that serves. Ends at the first failed
 * prerequisite.
 */
export async function diagnose(
  database: Database,
  config: Config,
  nodes: readonly NodeReport[] = [],
): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    const isLeftOut = NOT_FOR_A_DEMO.includes(name) && (await isDemoDatabase(database));
    const finding = isLeftOut ? DEMO : await check(database, config, nodes).catch(couldNotRun);
    const found = { name, ...finding };
    checks.push(found);
    const blocks = PREREQUISITES.includes(name) || found.cause !== undefined;
    if (found.state === "problem" && blocks) break;
  }
  return checks;
}

type RunCheck = (database: Database, config: Config, nodes: readonly NodeReport[]) => Promise<Finding>;

const CHECKS: Record<string, RunCheck> = {
  database: checkServer,
  role: checkRole,
  schema: checkSchema,
  owner: checkOwner,
  documents: checkDocuments,
  standing: checkStanding,
  requests: checkRequests,
  settings: checkSettings,
  erasures: checkErasures,
  decisions: checkDecisionsFile,
  backups: (_database, config) => checkBackups(config),
  clock: checkClock,
  keys: checkKeys,
  "unknown keys": checkUnknownKeys,
  "other paths": checkOtherPaths,
  filters: checkFilters,
};

function couldNotRun(cause: unknown): Finding {
  return { state: "problem", finding: String(cause), cause };
}

async function checkServer(database: Database): Promise<Finding> {
  await requireUsableServer(database);
  const { versionText, encoding, database: name, vacuums } = await findServerFacts(database);
  const finding = `PostgreSQL ${versionText}, database ${name}, ${encoding}`;
  if (encoding !== "UTF8") {
    const advice = "Names need UTF8: create database … template template0 encoding 'UTF8'.";
    return { state: "problem", finding, advice };
  }
  if (await isInRecovery(database)) {
    const advice = "Let `DATABASE_URL` lead to the primary. Replicas belong in `DATABASE_READ_URL`.";
    return { state: "problem", finding: `${finding}: it is a replica, or still recovering`, advice };
  }
  if (!vacuums) {
    const advice = "Set autovacuum = on in postgresql.conf: without it, the database grows with every import.";
    return { state: "warning", finding: `${finding}: autovacuum is off`, advice };
  }
  return { state: "ok", finding };
}

async function checkSchema(database: Database): Promise<Finding> {
  const state = await findSchemaState(database);
  const { pending, unknown } = state;
  if (isEmpty(state)) {
    const advice = "Run `credence migrate` with the role that is to own the tables.";
    return { state: "problem", finding: "the database is empty: it has no schema yet", advice };
  }
  if (pending.length > 0)
    return { state: "problem", finding: `not applied: ${pending.join(", ")}`, advice: "Run `credence migrate`." };
  if (unknown.length > 0) {
    const { message, advice } = new UnknownSchema(unknown);
    return { state: "problem", finding: message, advice };
  }
  return { state: "ok", finding: "up to date" };
}

async function checkRole(database: Database): Promise<Finding> {
  const { role, isSuperuser, isOwner, missing, excess } = await findRoleRights(database);
  if (missing.length > 0) {
    return {
      state: "problem",
      finding: `${role} may not ${missing.join(", ")}`,
      advice: `As the owner of the tables, run: credence migrate --serve-role ${role}`,
    };
  }
  if (isOwner) {
    const finding = `${role} owns the tables, as workers and commands need; servers use another: credence migrate --serve-role NAME`;
    return { state: "ok", finding };
  }
  if (isSuperuser) {
    return {
      state: "warning",
      finding: `${role} is a superuser: it may do everything, in every database of this server`,
      advice: "Use the role that owns the tables, and for servers another: credence migrate --serve-role NAME.",
    };
  }
  // Before the first migration, the role that will own the tables has them.
  if (excess.length > 0 && isEmpty(await findSchemaState(database)))
    return notChecked("the database has no schema yet");
  if (excess.length > 0) {
    const examples = `${excess.slice(0, 3).join(", ")}${excess.length > 3 ? " and more" : ""}`;
    return {
      state: "warning",
      finding: `${role} has more rights than serving needs: ${examples}`,
      advice: `As the owner of the tables, run: credence migrate --serve-role ${role}`,
    };
  }
  return {
    state: "ok",
    finding: `${role} has the rights that serving needs, and those of every role; docs/reference/serving-role.md lists both, and what to revoke`,
  };
}

async function checkClock(database: Database): Promise<Finding> {
  const ahead = await findClockDifference(database);
  const seconds = Math.round(Math.abs(ahead));
  if (seconds <= MAX_CLOCK_DIFFERENCE_SECONDS) return { state: "ok", finding: "agrees with the database's" };
  return {
    state: "warning",
    finding: `this machine's is ${formatNumber(seconds)} s ${ahead > 0 ? "ahead of" : "behind"} the database's`,
    advice: "Synchronise both with NTP. Otherwise requests of holders are refused, and V1 ends at another time.",
  };
}
