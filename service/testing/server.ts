import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { countEvent } from "./count-events.ts";

// Tests use the PostgreSQL server of TEST_DATABASE_URL. The database in the URL is ignored.
// biome-ignore lint/style/noProcessEnv: the only configuration of tests.
const environment = process.env;
const { TEST_DATABASE_URL, DATABASE_URL } = environment;
const serverUrl = TEST_DATABASE_URL || DATABASE_URL;
if (!serverUrl) throw new Error("Tests need PostgreSQL. Run `source .ci/env` to start it, or set TEST_DATABASE_URL.");

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TEST_PREFIX = "credence_test_";
const CLONE = createHash("sha256").update(`${hostname()} ${ROOT}`).digest("hex").slice(0, 8);

/** Databases of this clone of the repository. Another clone on the same server has other names. */
const CLONE_PREFIX = `${TEST_PREFIX}${CLONE}_`;
/** The start of this run in milliseconds, in base 36. Test processes inherit it from the main one. */
environment.CREDENCE_TEST_RUN ??= Date.now().toString(36);
export const RUN_PREFIX = `${CLONE_PREFIX}${environment.CREDENCE_TEST_RUN}_`;
const NAME = /^credence_test_[0-9a-f]{8}_([0-9a-z]{8})_/;
const MAX_AGE_MS = 86_400_000;

/** The role of test servers. It has only the privileges that serving needs. All clones share it. */
export const SERVE_ROLE = `${TEST_PREFIX}serve`;
export const TEMPLATE = `${RUN_PREFIX}template`;

/** A name for a database or a role of a test. */
export const uniqueName = (): string => RUN_PREFIX + randomBytes(8).toString("hex");

export function urlOf(database: string, user?: string): string {
  const url = new URL(serverUrl as string);
  url.pathname = `/${database}`;
  if (user !== undefined) url.username = user;
  return url.href;
}

export async function administer<Result>(work: (admin: pg.Client) => Promise<Result>): Promise<Result> {
  const admin = new pg.Client({ connectionString: urlOf("postgres") });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

export async function createDatabase(admin: pg.Client, name: string, options: string): Promise<void> {
  countEvent("database");
  await admin.query(`create database ${pg.escapeIdentifier(name)} ${options}`);
}

export async function dropDatabase(admin: pg.Client, name: string): Promise<void> {
  await admin.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
}

/** Marks this run as running until `end` is called, so that another run does not drop its databases. */
export async function markRun(): Promise<{ end: () => Promise<void> }> {
  const mark = new pg.Client({ connectionString: urlOf("postgres"), application_name: RUN_PREFIX });
  await mark.connect();
  return { end: () => mark.end() };
}

/**
 * Databases that earlier runs left: those of this clone, and those that are older than a day. A
 * database with connections, or of a run that is still running, is in use.
 */
export async function listLeftDatabases(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{ datname: string }>(
    `select datname from pg_database
     where starts_with(datname, $1) and not exists (
       select from pg_stat_activity
       where pg_stat_activity.datname = pg_database.datname
         or (starts_with(application_name, $1) and starts_with(pg_database.datname, application_name)))`,
    [TEST_PREFIX],
  );
  const isOld = (name: string) => Date.now() - Number.parseInt(NAME.exec(name)?.[1] ?? "", 36) > MAX_AGE_MS;
  return rows.map(({ datname }) => datname).filter((name) => name.startsWith(CLONE_PREFIX) || isOld(name));
}

export async function findDatabase(admin: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await admin.query("select from pg_database where datname = $1", [name]);
  return rowCount === 1;
}

/** Another clone may create the role at the same time. */
export async function ensureRole(admin: pg.Client, role: string): Promise<void> {
  await admin.query(
    `do $$ begin create role ${pg.escapeIdentifier(role)} login; exception when duplicate_object or unique_violation then null; end $$`,
  );
}
