import pg from "pg";

// Tests use the PostgreSQL server of DATABASE_URL. The database in the URL is ignored.
// biome-ignore lint/style/noProcessEnv: the only configuration of tests.
const serverUrl = process.env.DATABASE_URL;
if (!serverUrl) throw new Error("Tests need PostgreSQL. Run `source .ci/env` to start it, or set DATABASE_URL.");

export const TEST_PREFIX = "credence_test_";
/** The role of test servers. It has only the privileges that serving needs. */
export const SERVE_ROLE = "credence_test_serve";
export const TEMPLATE = `${TEST_PREFIX}template`;

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
  await admin.query(`create database ${pg.escapeIdentifier(name)} ${options}`);
}

export async function dropDatabase(admin: pg.Client, name: string): Promise<void> {
  await admin.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
}

export async function listDatabases(admin: pg.Client, prefix: string): Promise<string[]> {
  const { rows } = await admin.query<{ datname: string }>(
    "select datname from pg_database where starts_with(datname, $1)",
    [prefix],
  );
  return rows.map((row) => row.datname);
}

export async function ensureRole(admin: pg.Client, role: string): Promise<void> {
  const { rowCount } = await admin.query("select from pg_roles where rolname = $1", [role]);
  if (rowCount === 0) await admin.query(`create role ${pg.escapeIdentifier(role)} login`);
}
