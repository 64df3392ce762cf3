import pg from "pg";
import type { Connection } from "#store/engine/database.ts";
import { MIGRATIONS_TABLE } from "#store/engine/migrations.ts";
import { epochTables } from "#store/standing/epochs.ts";
import { KEY_COLUMNS_FOR_SERVE } from "./api-keys.ts";

/** What serving reads: documents, the way to them, and the schema's version. Never facts. */
const READ_BY_SERVE = [
  "passport_document",
  "credential_document",
  "wallet_owner",
  "standing_epoch",
  MIGRATIONS_TABLE,
] as const;

/** Of some tables, a few columns: never whose a key is, nor who is due. */
const COLUMNS_READ_BY_SERVE: Readonly<Record<string, readonly string[]>> = {
  api_key: KEY_COLUMNS_FOR_SERVE,
  recalculation_due: ["due_at"],
  recalculation_of_all: ["begun_at"],
  recalculation_set_aside: ["set_aside_at"],
};

/** A role, and whether rights can be taken from it: not from a superuser, nor from the owner of the tables. */
export async function findRole(connection: Connection, role: string): Promise<{ mighty: boolean } | null> {
  const { rows } = await connection.query<{ mighty: boolean }>(
    `select rolsuper or pg_has_role(oid, (select relowner from pg_class where oid = 'passport'::regclass), 'member') as mighty
     from pg_roles where rolname = $1`,
    [role],
  );
  return rows[0] ?? null;
}

/** Leaves the role with exactly the rights serving needs, whatever it had before. */
export async function grantServing(connection: Connection, role: string): Promise<void> {
  const { rows } = await connection.query<{ epoch: number }>("select epoch from standing_epoch");
  const tables = [...READ_BY_SERVE, ...rows.flatMap((row) => epochTables(row.epoch))];
  const grantee = pg.escapeIdentifier(role);
  await connection.query(`revoke all on all tables in schema public from ${grantee}`);
  await connection.query(`revoke create on schema public from ${grantee}`);
  await connection.query(`grant usage on schema public to ${grantee}`);
  await connection.query(`grant select on ${tables.join(", ")} to ${grantee}`);
  for (const [table, columns] of Object.entries(COLUMNS_READ_BY_SERVE)) {
    await connection.query(`grant select (${columns.join(", ")}) on ${table} to ${grantee}`);
  }
  await connection.query(`grant execute on function grams (text) to ${grantee}`);
  await revokeTemporary(connection, grantee);
}

/**
 * Everybody may make temporary tables in a new database. The owner of the tables, who imports by one, keeps the right. Without the
 * rights of the database's owner these statements change nothing and only warn.
 */
async function revokeTemporary(connection: Connection, grantee: string): Promise<void> {
  const { rows } = await connection.query<{ statements: string }>(
    `select format('grant temporary on database %1$I to %2$s; revoke temporary on database %1$I from public, ${grantee.replaceAll("'", "''").replaceAll("%", "%%")}',
       current_database(), relowner::regrole) as statements
     from pg_class, pg_database
     where pg_class.oid = 'passport'::regclass and datname = current_database() and pg_has_role(datdba, 'member')`,
  );
  for (const { statements } of rows) await connection.query(statements);
}

export async function canCreateTemporaryTables(connection: Connection, role: string): Promise<boolean> {
  const { rows } = await connection.query<{ may: boolean }>(
    "select has_database_privilege($1, current_database(), 'temporary') as may",
    [role],
  );
  return rows[0]?.may ?? true;
}

export type RoleRights = { role: string; isSuperuser: boolean; lacks: string[]; beyond: string[] };

/** What the current role lacks for serving, and what it may do beyond it. */
export async function findRoleRights(connection: Connection): Promise<RoleRights> {
  const { rows } = await connection.query<{ name: string; reads: boolean; writes: boolean }>(
    `select relname as name, has_table_privilege(oid, 'select') as reads,
       has_table_privilege(oid, 'insert, update, delete, truncate') as writes
     from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`,
  );
  const wanted = Object.entries(COLUMNS_READ_BY_SERVE).flatMap(([table_name, columns]) =>
    columns.map((column_name) => ({ table_name, column_name })),
  );
  type About = {
    role: string;
    isSuperuser: boolean;
    creates: boolean;
    lacksColumns: string[];
    readsContacts: boolean | null;
    makesTemporary: boolean;
  };
  const { rows: about } = await connection.query<About>(
    `select current_user as role, has_schema_privilege('public', 'create') as creates,
       has_database_privilege(current_database(), 'temporary') as "makesTemporary",
       has_column_privilege(to_regclass('api_key'), 'contact', 'select') as "readsContacts",
       array (
         select format('read %s of %s', column_name, table_name)
         from json_to_recordset($1) as wanted (table_name text, column_name text)
         where not has_column_privilege(to_regclass(table_name), column_name, 'select')
       ) as "lacksColumns",
       (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser"`,
    [JSON.stringify(wanted)],
  );
  const { role, isSuperuser, creates, lacksColumns, readsContacts, makesTemporary } = about[0] as About;
  const isWanted = (table: string) =>
    READ_BY_SERVE.some((name) => name === table) || /^standing_\d+(_names|_keywords)?$/.test(table);
  return {
    role,
    isSuperuser,
    lacks: [
      ...rows.filter((table) => isWanted(table.name) && !table.reads).map((table) => `read ${table.name}`),
      ...lacksColumns,
    ],
    beyond: [
      ...rows.filter((table) => table.reads && !isWanted(table.name)).map((table) => `read ${table.name}`),
      ...rows.filter((table) => table.writes).map((table) => `write ${table.name}`),
      ...(readsContacts ? ["read whose keys they are"] : []),
      ...(creates ? ["create tables"] : []),
      ...(makesTemporary ? ["make temporary tables"] : []),
    ],
  };
}
