import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { type Connection, queryColumn } from "./database.ts";
import { codeOf, isLocked, UNDEFINED_TABLE } from "./failures.ts";
import { SESSION_TIMEOUT_MS, sessionSettings, setSession } from "./session-settings.ts";
import { requireTrustedSchema } from "./trusted-schema.ts";

const folder = fileURLToPath(new URL("../../../migrations", import.meta.url));

export const MIGRATIONS_TABLE = "schema_migration";

/** Reads of a table queue behind a migration that waits for its lock: time out soon, and retry. */
const LOCK_TIMEOUT_MS = 1_000;
const ATTEMPTS = 30;

/** Applies the pending migrations, one runner at a time, and returns their names. */
export async function migrate(databaseUrl: string, attempts = ATTEMPTS): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runMigrations(databaseUrl);
    } catch (error) {
      if (!isLocked(error) || attempt >= attempts) throw error;
      await delay(LOCK_TIMEOUT_MS);
    }
  }
}

async function runMigrations(databaseUrl: string): Promise<string[]> {
  // Loaded lazily: every command imports this module to check the schema, and few migrate.
  const { runner } = await import("node-pg-migrate");
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await requireTrustedSchema(client);
    await setSession(client, sessionSettings({ lock_timeout: String(LOCK_TIMEOUT_MS) }), SESSION_TIMEOUT_MS);
    requireKnown(await findSchemaState(client));
    const applied = await runner({
      dbClient: client,
      dir: folder,
      direction: "up",
      migrationsTable: MIGRATIONS_TABLE,
      advisoryLockMode: "wait",
      log: () => {},
      logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    });
    return applied.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}

export type SchemaState = { pending: string[]; unknown: string[] };

/** `pending` migrations are not applied yet; `unknown` ones were applied by another program. */
export async function findSchemaState(connection: Connection): Promise<SchemaState> {
  const known = readdirSync(folder).map((file) => file.replace(/\.sql$/, ""));
  const applied = await listAppliedMigrations(connection);
  return {
    pending: known.filter((name) => !applied.includes(name)).sort(),
    unknown: applied.filter((name) => !known.includes(name)).sort(),
  };
}

/** The schema was written by another program. */
export class UnknownSchema extends Error {
  override name = "UnknownSchema";
  readonly advice =
    "Start the version of Credence that was used last with this database, or a newer one; or use another database.";

  constructor(unknown: readonly string[]) {
    const more = unknown.length > 3 ? ` and ${unknown.length - 3} more` : "";
    super(`The database has migrations that this program does not know: ${unknown.slice(0, 3).join(", ")}${more}.`);
  }
}

export function requireKnown({ unknown }: SchemaState): void {
  if (unknown.length > 0) throw new UnknownSchema(unknown);
}

/** No migration was applied. */
export const isEmpty = ({ pending, unknown }: SchemaState): boolean =>
  unknown.length === 0 && pending.includes(FIRST_MIGRATION);

const FIRST_MIGRATION = "0001_initial";

async function listAppliedMigrations(connection: Connection): Promise<string[]> {
  try {
    return await queryColumn(connection, `select name from ${MIGRATIONS_TABLE}`);
  } catch (error) {
    if (codeOf(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}
