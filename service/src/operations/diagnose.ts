import { PRESENTER_VERSION } from "#present/version.ts";
import { type Database, openDatabase } from "#store/database.ts";
import { findForeignPresenter } from "#store/documents.ts";
import { findSchemaState } from "#store/migrations.ts";
import { findRoleRights } from "#store/roles.ts";
import { findServerFacts } from "#store/server.ts";
import { findCurrentEpoch } from "#store/standing.ts";

export type Check = { name: string; state: "ok" | "warning" | "problem"; finding: string; advice?: string };

/** A standing older than this is worth a word. */
const OLD_STANDING_HOURS = 24;
/** The first version that compresses with lz4. */
const OLDEST_POSTGRESQL = 14;

/** Looks at everything serving depends on, as the role that serves. Stops where the rest could not be seen. */
export async function diagnose(databaseUrl: string): Promise<Check[]> {
  const database = openDatabase({
    url: databaseUrl,
    name: "credence doctor",
    maxConnections: 1,
    statementTimeoutMs: 30_000,
  });
  try {
    const checks: Check[] = [];
    for (const check of [checkServer, checkSchema, checkRole, checkDocuments, checkStanding]) {
      const found = await check(database);
      checks.push(found);
      if (found.state === "problem") break;
    }
    return checks;
  } finally {
    await database.end();
  }
}

async function checkServer(database: Database): Promise<Check> {
  const name = "database";
  try {
    const { version, versionText, encoding, database: named } = await findServerFacts(database);
    const finding = `PostgreSQL ${versionText}, database ${named}, ${encoding}`;
    if (version < OLDEST_POSTGRESQL)
      return { name, state: "problem", finding, advice: `Version ${OLDEST_POSTGRESQL} or newer is needed.` };
    if (encoding !== "UTF8")
      return {
        name,
        state: "problem",
        finding,
        advice: "Names need UTF8: create database … template template0 encoding 'UTF8'.",
      };
    return { name, state: "ok", finding };
  } catch (error) {
    const reason = error instanceof AggregateError ? error.errors[0] : error;
    return {
      name,
      state: "problem",
      finding: String((reason as Error).message),
      advice: "Check DATABASE_URL, and that PostgreSQL runs there.",
    };
  }
}

async function checkSchema(database: Database): Promise<Check> {
  const name = "schema";
  const { pending, unknown } = await findSchemaState(database);
  if (pending.length > 0)
    return { name, state: "problem", finding: `not applied: ${pending.join(", ")}`, advice: "Run `credence migrate`." };
  if (unknown.length > 0) {
    return {
      name,
      state: "warning",
      finding: `newer than this program: ${unknown.join(", ")}`,
      advice: "Update this program.",
    };
  }
  return { name, state: "ok", finding: "up to date" };
}

async function checkRole(database: Database): Promise<Check> {
  const name = "role";
  const rights = await findRoleRights(database);
  if (!rights.readsDocuments) {
    return {
      name,
      state: "problem",
      finding: `${rights.role} cannot read documents`,
      advice: `As the owner of the tables: credence migrate --serve-role ${rights.role}`,
    };
  }
  if (rights.isSuperuser || rights.readsFacts) {
    return {
      name,
      state: "warning",
      finding: `${rights.role} may do more than serving needs`,
      advice: "Serve with a role of its own: credence migrate --serve-role NAME (docs/CONFIGURATION.md).",
    };
  }
  return { name, state: "ok", finding: `${rights.role} may read what serving needs, and no facts` };
}

async function checkDocuments(database: Database): Promise<Check> {
  const name = "documents";
  const foreign = await findForeignPresenter(database, PRESENTER_VERSION);
  if (foreign === null) return { name, state: "ok", finding: `written by presenter ${PRESENTER_VERSION}` };
  return {
    name,
    state: "problem",
    finding: `some were written by presenter ${foreign}, this program has ${PRESENTER_VERSION}`,
    advice: "Run `credence documents rebuild`, then `credence standing refresh`.",
  };
}

async function checkStanding(database: Database): Promise<Check> {
  const name = "standing";
  const { epoch, total, built_at } = await findCurrentEpoch(database);
  const hours = (Date.now() - built_at.getTime()) / 3_600_000;
  const finding = `epoch ${epoch}, ${total} people, ${hours < 1 ? "under an hour" : `${Math.round(hours)} h`} old`;
  if (hours < OLD_STANDING_HOURS) return { name, state: "ok", finding };
  return { name, state: "warning", finding, advice: "Run `credence standing refresh` after changes, or regularly." };
}
