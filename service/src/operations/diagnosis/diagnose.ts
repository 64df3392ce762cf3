import { PRESENTER_VERSION } from "#present/version.ts";
import { listExpiringKeys } from "#store/access/api-keys.ts";
import { findRoleRights } from "#store/access/roles.ts";
import type { Database } from "#store/engine/database.ts";
import { findSchemaState } from "#store/engine/migrations.ts";
import { findServerFacts } from "#store/engine/server.ts";
import { findForeignPresenter, hasListedDocuments } from "#store/people/documents.ts";
import { findUnevenScores } from "#store/people/passports.ts";
import { findBegunAt } from "#store/scores/recalculation-of-all.ts";
import { findBacklog } from "#store/scores/recalculation-queue.ts";
import { findCurrentEpoch } from "#store/standing/epochs.ts";
import { findUnknownKeyUse } from "#store/usage/usage-reports.ts";
import { type Check, type Finding, OLD_STANDING_HOURS } from "./check.ts";

/** The first version that compresses with lz4. */
const OLDEST_POSTGRESQL = 14;

/** Later checks depend on these. */
const PREREQUISITES = ["database", "role", "schema"];

/**
 * Checks everything that serving depends on, with the role that serves. Ends at the first failed
 * prerequisite.
 */
export async function diagnose(database: Database): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    const found = { name, ...(await check(database).catch(couldNotRun)) };
    checks.push(found);
    const blocks = PREREQUISITES.includes(name) || found.cause !== undefined;
    if (found.state === "problem" && blocks) break;
  }
  return checks;
}

const print = (count: number): string => count.toLocaleString("en");

const CHECKS: Record<string, (database: Database) => Promise<Finding>> = {
  database: checkServer,
  role: checkRole,
  schema: checkSchema,
  documents: checkDocuments,
  standing: checkStanding,
  recalculation: checkRecalculation,
  scores: checkScores,
  keys: checkKeys,
  "unknown keys": checkUnknownKeys,
};

function couldNotRun(cause: unknown): Finding {
  return { state: "problem", finding: String(cause), cause };
}

async function checkServer(database: Database): Promise<Finding> {
  const { version, versionText, encoding, database: name } = await findServerFacts(database);
  const finding = `PostgreSQL ${versionText}, database ${name}, ${encoding}`;
  if (version < OLDEST_POSTGRESQL) {
    return { state: "problem", finding, advice: `Version ${OLDEST_POSTGRESQL} or newer is needed.` };
  }
  if (encoding !== "UTF8") {
    const advice = "Names need UTF8: create database … template template0 encoding 'UTF8'.";
    return { state: "problem", finding, advice };
  }
  return { state: "ok", finding };
}

async function checkSchema(database: Database): Promise<Finding> {
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
    finding: `${role} has the rights that serving needs, and no more; docs/OPERATIONS.md lists them`,
  };
}

async function checkDocuments(database: Database): Promise<Finding> {
  const foreign = await findForeignPresenter(database, PRESENTER_VERSION);
  if (foreign === null)
    return {
      state: "ok",
      finding: "written by this program's presenter; `credence documents verify` compares their content",
    };
  return {
    state: "problem",
    finding: `some were written by presenter ${foreign}, this program has ${PRESENTER_VERSION}`,
    advice: "Run `credence documents rebuild`, then `credence standing refresh`.",
  };
}

async function checkStanding(database: Database): Promise<Finding> {
  const { epoch, total, built_at } = await findCurrentEpoch(database);
  const hours = (Date.now() - built_at.getTime()) / 3_600_000;
  const finding = `epoch ${epoch}, people: ${print(total)}, ${hours < 1 ? "under an hour" : `${Math.round(hours)} h`} old`;
  if (total === 0 && (await hasListedDocuments(database))) {
    return {
      state: "problem",
      finding: `${finding}: the standing is empty, although people are stored`,
      advice: "Run `credence standing refresh` with the role that owns the tables.",
    };
  }
  if (hours < OLD_STANDING_HOURS) return { state: "ok", finding };
  return { state: "warning", finding, advice: "Run `credence standing refresh` after changes, or regularly." };
}

/** Longer than this means that no worker is running. */
const MAX_DUE_MINUTES = 60;

async function checkRecalculation(database: Database): Promise<Finding> {
  const { due, oldest_due_at, set_aside } = await findBacklog(database);
  const finding = `people due: ${print(due)}, set aside: ${print(set_aside)}`;
  const minutes = oldest_due_at === null ? 0 : (Date.now() - oldest_due_at.getTime()) / 60_000;
  const begunAt = await findBegunAt(database);
  if (due === 0 && begunAt !== null && Date.now() - begunAt.getTime() > 60_000) {
    const advice = "A recalculation of all people has started, but no person is due. Is `credence work` running?";
    return { state: "warning", finding, advice };
  }
  if (minutes > MAX_DUE_MINUTES) {
    const advice = `The oldest has been due for ${Math.round(minutes)} minutes. Is \`credence work\` running?`;
    return { state: "warning", finding, advice };
  }
  if (set_aside > 0)
    return { state: "warning", finding, advice: "`credence passport due` lists them with the reasons." };
  return { state: "ok", finding };
}

async function checkScores(database: Database): Promise<Finding> {
  const uneven = await findUnevenScores(database);
  if (uneven === null)
    return { state: "ok", finding: "not checked: this role may not read facts, and does not need to" };
  const { people, first } = uneven;
  if (people === 0) return { state: "ok", finding: "every overall score is the sum of its three parts" };
  return {
    state: "warning",
    finding: `people whose overall score is not the sum of its parts: ${print(people)}: ${first.join(", ")}${people > first.length ? ", …" : ""}`,
    advice:
      "Correct if they were imported like this. `credence passport show ID` shows details, `credence passport recalculate` fixes it.",
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

const UNKNOWN_KEY_DAYS = 2;

async function checkUnknownKeys(database: Database): Promise<Finding> {
  const use = await findUnknownKeyUse(database, UNKNOWN_KEY_DAYS);
  if (use === null) return { state: "ok", finding: "not checked: this role may not read usage, and does not need to" };
  const { refused, accepted } = use;
  if (refused + accepted === 0) return { state: "ok", finding: "no request with an unknown key since yesterday" };
  const adopt = "`credence usage unknown-keys` lists them, and `credence keys adopt --seen PREFIX` accepts one.";
  return {
    state: "warning",
    finding: `requests with unknown keys since yesterday: ${print(refused)} refused, ${print(accepted)} accepted in open mode`,
    advice: accepted > 0 ? `${adopt} When no known client needs another one, set AUTH_MODE to optional.` : adopt,
  };
}
