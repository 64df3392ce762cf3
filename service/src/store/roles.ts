import pg from "pg";
import type { Connection } from "./database.ts";
import { MIGRATIONS_TABLE } from "./migrations.ts";
import { epochTable } from "./standing.ts";

/** What serving reads: documents, the way to them, and the schema's version. Never facts. */
const READ_BY_SERVE = [
  "passport_document",
  "credential_document",
  "wallet_owner",
  "standing_epoch",
  MIGRATIONS_TABLE,
] as const;

export async function roleExists(connection: Connection, role: string): Promise<boolean> {
  const { rowCount } = await connection.query("select from pg_roles where rolname = $1", [role]);
  return rowCount === 1;
}

/** Leaves the role with exactly the rights serving needs, whatever it had before. */
export async function grantServing(connection: Connection, role: string): Promise<void> {
  const { rows } = await connection.query<{ epoch: number }>("select epoch from standing_epoch");
  const tables = [...READ_BY_SERVE, ...rows.map((row) => epochTable(row.epoch))];
  const grantee = pg.escapeIdentifier(role);
  await connection.query(`revoke all on all tables in schema public from ${grantee}`);
  await connection.query(`revoke create on schema public from ${grantee}`);
  await connection.query(`grant usage on schema public to ${grantee}`);
  await connection.query(`grant select on ${tables.join(", ")} to ${grantee}`);
}

export type RoleRights = { role: string; isSuperuser: boolean; readsDocuments: boolean; readsFacts: boolean };

export async function findRoleRights(connection: Connection): Promise<RoleRights> {
  const { rows } = await connection.query<RoleRights>(
    `select current_user as role,
       (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
       has_table_privilege('passport_document', 'select') as "readsDocuments",
       has_table_privilege('passport', 'select') as "readsFacts"`,
  );
  return rows[0] as RoleRights;
}
