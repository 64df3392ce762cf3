import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/database/database.ts";
import { findSchemaState } from "#core/database/migrations.ts";
import { requireProgram } from "#core/database/required-program.ts";
import { findClockDifference, findServerFacts, MAX_CLOCK_DIFFERENCE_SECONDS } from "#core/database/server.ts";
import { isInRecovery, requireSessions } from "#core/database/wrong-server.ts";
import { type Check, type Finding, OLD_STANDING_HOURS } from "#core/terminal/check.ts";
import { checkRequests } from "#holders/manage/check-requests.ts";
import { listExpiringKeys } from "#keys/api-keys.ts";
import { findCurrentEpoch } from "#list/epochs.ts";
import { findCarriedState } from "#people/facts/carried-fields.ts";
import { findForeignPresenter, hasListedDocuments } from "#people/facts/documents.ts";
import { findUnevenScores } from "#people/facts/passports.ts";
import { PRESENTER_VERSION, passportVersion } from "#people/present/version.ts";
import { checkProtections } from "#restore/check-protections.ts";
import { checkOtherPaths, checkUnknownKeys } from "#usage/manage/check-usage.ts";
import { checkRecalculation, describeWorkers } from "./check-work.ts";
import { findRoleRights } from "./rights/serving-rights.ts";

/** The first version that compresses with lz4. */
const OLDEST_POSTGRESQL = 14;

/** Later checks depend on these, and so does every other reading. */
export const PREREQUISITES = ["database", "role", "schema"];

/**
 * Checks everything that serving depends on, with the role that serves. Ends at the first failed
 * prerequisite.
 */
export async function diagnose(database: Database, config: CheckConfig, hasSettings = false): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    const found = { name, ...(await check(database, { ...config, hasSettings }).catch(couldNotRun)) };
    checks.push(found);
    const blocks = PREREQUISITES.includes(name) || found.cause !== undefined;
    if (found.state === "problem" && blocks) break;
  }
  return checks;
}

type CheckConfig = Pick<Config, "v1AlsoAt" | "protectionsFile">;
/** `hasSettings`: the database was opened with the settings that `requireSessions` looks for. */
type CheckOptions = CheckConfig & { hasSettings: boolean };

const print = (count: number): string => count.toLocaleString("en");

const CHECKS: Record<string, (database: Database, options: CheckOptions) => Promise<Finding>> = {
  database: checkServer,
  role: checkRole,
  schema: checkSchema,
  documents: checkDocuments,
  standing: checkStanding,
  recalculation: checkRecalculation,
  requests: checkRequests,
  protections: checkProtections,
  clock: checkClock,
  scores: checkScores,
  keys: checkKeys,
  "unknown keys": checkUnknownKeys,
  "other paths": checkOtherPaths,
};

function couldNotRun(cause: unknown): Finding {
  return { state: "problem", finding: String(cause), cause };
}

async function checkServer(database: Database, { hasSettings }: CheckOptions): Promise<Finding> {
  await requireSessions(database, hasSettings);
  const { version, versionText, encoding, database: name, vacuums } = await findServerFacts(database);
  const finding = `PostgreSQL ${versionText}, database ${name}, ${encoding}`;
  if (version < OLDEST_POSTGRESQL) {
    return { state: "problem", finding, advice: `Version ${OLDEST_POSTGRESQL} or newer is needed.` };
  }
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
  await requireProgram(database);
  const { pending, unknown } = await findSchemaState(database);
  if (pending.length > 0)
    return { state: "problem", finding: `not applied: ${pending.join(", ")}`, advice: "Run `credence migrate`." };
  if (unknown.length > 0) {
    return {
      state: "warning",
      finding: `newer than this program: ${unknown.join(", ")}`,
      advice: "Update this program.",
    };
  }
  return { state: "ok", finding: "up to date" };
}

async function checkRole(database: Database): Promise<Finding> {
  const { role, isSuperuser, missing, excess } = await findRoleRights(database);
  if (missing.length > 0) {
    return {
      state: "problem",
      finding: `${role} may not ${missing.join(", ")}`,
      advice: `As the owner of the tables, run: credence migrate --serve-role ${role}`,
    };
  }
  if (isSuperuser || excess.length > 0) {
    const examples = `${excess.slice(0, 3).join(", ")}${excess.length > 3 ? " and more" : ""}`;
    return {
      state: "warning",
      finding: `${role} has more rights than serving needs: ${isSuperuser ? "everything" : examples}`,
      advice: "Correct for the owner of the tables. To serve, use a separate role: credence migrate --serve-role NAME.",
    };
  }
  return {
    state: "ok",
    finding: `${role} has the rights that serving needs, and those of every role; docs/OPERATIONS.md lists both, and what to revoke`,
  };
}

async function checkDocuments(database: Database): Promise<Finding> {
  const { carried, presentedTo } = await findCarriedState(database);
  const fields = carried.size === 0 ? "" : `; carried fields: ${[...carried].join(", ")}`;
  if (presentedTo !== null) {
    return {
      state: "warning",
      finding: `some stored answers were written before the last change of the carried fields${fields}`,
      advice: "`credence fields list` shows how many. A running `credence work` continues.",
    };
  }
  const versions = { passport: passportVersion(carried), credentials: PRESENTER_VERSION };
  const foreign = await findForeignPresenter(database, versions);
  if (foreign === null)
    return {
      state: "ok",
      finding: `stored answers were written by this program${fields}; \`credence documents verify\` compares their content`,
    };
  return {
    state: "problem",
    finding: `some stored answers were written by another version of this program (${foreign}; this one has ${versions.passport})`,
    advice: "Run `credence documents rebuild`, then `credence standing refresh`.",
  };
}

async function checkStanding(database: Database): Promise<Finding> {
  const { total, age_seconds } = await findCurrentEpoch(database);
  const hours = age_seconds / 3_600;
  const finding = `the list has ${print(total)} people and is ${hours < 1 ? "under an hour" : `${Math.round(hours)} h`} old`;
  if (total === 0 && (await hasListedDocuments(database))) {
    return {
      state: "problem",
      finding: `${finding}: it is empty, although people are stored`,
      advice: "Run `credence standing refresh` with the role that owns the tables.",
    };
  }
  if (hours < OLD_STANDING_HOURS) return { state: "ok", finding };
  const advice = `${await describeWorkers(database)} Without a worker, run \`credence standing refresh\` after changes.`;
  return { state: "warning", finding, advice };
}

async function checkClock(database: Database): Promise<Finding> {
  const ahead = await findClockDifference(database);
  const seconds = Math.round(Math.abs(ahead));
  if (seconds <= MAX_CLOCK_DIFFERENCE_SECONDS) return { state: "ok", finding: "agrees with the database's" };
  return {
    state: "warning",
    finding: `this machine's is ${print(seconds)} s ${ahead > 0 ? "ahead of" : "behind"} the database's`,
    advice: "Synchronise both with NTP. Otherwise requests of holders are refused, and V1 ends at another time.",
  };
}

async function checkScores(database: Database): Promise<Finding> {
  const uneven = await findUnevenScores(database);
  if (uneven === null)
    return { state: "ok", finding: "not checked: this role may not read facts, and does not need to" };
  const { people, first } = uneven;
  if (people === 0) return { state: "ok", finding: "every overall score is the sum of its three parts" };
  return {
    state: "warning",
    finding: `people whose overall score is not the sum of its parts: ${print(people)} (${first.join(", ")}${people > first.length ? ", …" : ""})`,
    advice:
      "Correct if they were imported like this. `credence passport show ID` shows details; `credence passport recalculate` lets a worker fix it.",
    passport_ids: first,
  };
}

const EXPIRES_SOON_DAYS = 14;

async function checkKeys(database: Database): Promise<Finding> {
  const expiring = await listExpiringKeys(database, EXPIRES_SOON_DAYS);
  if (expiring.length === 0) return { state: "ok", finding: `no key expires in the next ${EXPIRES_SOON_DAYS} days` };
  const shown = expiring
    .slice(0, 5)
    .map(({ key_id, expires_at }) => `${key_id} on ${expires_at.toISOString().slice(0, 10)}`);
  return {
    state: "warning",
    finding: `keys that expire soon: ${shown.join(", ")}${expiring.length > shown.length ? ", …" : ""}`,
    advice:
      "Issue a successor with `credence keys rotate ID`, unless its owner has one. `credence keys list` shows contacts.",
  };
}
