import pg from "pg";
import type { Connection } from "./database.ts";
import { codeOf, INVALID_CATALOG_NAME } from "./failures.ts";
import { SESSION_TIMEOUT_MS, sessionSettings, setSession } from "./session-settings.ts";

export type ServerFacts = {
  versionText: string;
  encoding: string;
  database: string;
  now: Date;
  vacuums: boolean;
};

export async function findServerFacts(connection: Connection): Promise<ServerFacts> {
  const { rows } = await connection.query<ServerFacts>(
    `select current_setting('server_version') as "versionText",
       current_setting('server_encoding') as encoding, current_database() as database, clock_timestamp() as now,
       current_setting('autovacuum')::boolean as vacuums`,
  );
  return rows[0] as ServerFacts;
}

/** A server may fall silent at any time, and the connection is one of two. */
const TIMELINE_TIMEOUT_MS = 2_000;

/** The timeline of a primary, which increases with each promotion of a replica. */
export async function findTimeline(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ name: string }>({
    text: "select pg_walfile_name(pg_current_wal_lsn()) as name",
    query_timeout: TIMELINE_TIMEOUT_MS,
  } as pg.QueryConfig);
  return Number.parseInt(rows[0]?.name.slice(0, 8) ?? "", 16);
}

/** A larger difference is reported. */
export const MAX_CLOCK_DIFFERENCE_SECONDS = 5;

/** How far this machine's clock is ahead of the database's, beyond the duration of the query; negative if behind. */
export async function findClockDifference(connection: Connection): Promise<number> {
  const before = Date.now();
  const now = (await findServerFacts(connection)).now.getTime();
  return (Math.max(0, before - now) - Math.max(0, now - Date.now())) / 1_000;
}

/**
 * Creates the database of a URL unless it exists, and returns whether it did. The program folds and
 * compares names itself, so any locale will do, but the encoding must be UTF8.
 */
export async function ensureDatabase(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    return false;
  } catch (error) {
    if (codeOf(error) !== INVALID_CATALOG_NAME) throw error;
  } finally {
    await client.end();
  }
  const name = client.database as string;
  const server = new URL(url);
  server.pathname = "/postgres";
  const admin = new pg.Client({ connectionString: server.href, connectionTimeoutMillis: 5_000 });
  await admin.connect();
  try {
    await setSession(admin, sessionSettings({}), SESSION_TIMEOUT_MS);
    await admin.query(`create database ${pg.escapeIdentifier(name)} template template0 encoding 'UTF8'`);
  } finally {
    await admin.end();
  }
  return true;
}
