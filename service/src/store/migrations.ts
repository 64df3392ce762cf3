import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Connection } from "./database.ts";
import { codeOf, UNDEFINED_TABLE } from "./failures.ts";

const folder = fileURLToPath(new URL("../../migrations", import.meta.url));

export const MIGRATIONS_TABLE = "schema_migration";

/** Applies what is missing, one runner at a time; returns the names it applied. */
export async function migrate(databaseUrl: string): Promise<string[]> {
  // Every command asks for the state of the schema; few change it.
  const { runner } = await import("node-pg-migrate");
  const applied = await runner({
    databaseUrl,
    dir: folder,
    direction: "up",
    migrationsTable: MIGRATIONS_TABLE,
    advisoryLockMode: "wait",
    log: () => {},
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
  return applied.map((migration) => migration.name);
}

export type SchemaState = { pending: string[]; unknown: string[] };

/** What this program would still apply, and what a newer program has applied already. */
export async function findSchemaState(connection: Connection): Promise<SchemaState> {
  const known = readdirSync(folder).map((file) => file.replace(/\.sql$/, ""));
  const applied = await listAppliedMigrations(connection);
  return {
    pending: known.filter((name) => !applied.includes(name)).sort(),
    unknown: applied.filter((name) => !known.includes(name)).sort(),
  };
}

async function listAppliedMigrations(connection: Connection): Promise<string[]> {
  try {
    const { rows } = await connection.query<{ name: string }>(`select name from ${MIGRATIONS_TABLE}`);
    return rows.map((row) => row.name);
  } catch (error) {
    if (codeOf(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}
