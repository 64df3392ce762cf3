import pg from "pg";
import { type Connection, queryColumn, queryValue } from "#core/database/database.ts";
import type { Grants } from "#core/database/grants.ts";
import { MIGRATIONS_TABLE } from "#core/database/migrations.ts";
import { HOLDER_GRANTS } from "#holders/grants.ts";
import { KEY_GRANTS } from "#keys/grants.ts";
import { epochTables } from "#list/epochs.ts";
import { LIST_GRANTS } from "#list/grants.ts";
import { PEOPLE_GRANTS } from "#people/grants.ts";
import { SCORE_GRANTS } from "#scores/grants.ts";
import { USAGE_GRANTS } from "#usage/grants.ts";

/** Workers, the level that a program needs, the schema version. */
const CORE_GRANTS: Grants = { tables: ["worker_process", "required_program", MIGRATIONS_TABLE] };

/** All rights of the serving role. No facts, no contacts of keys, and no ids of people due. */
const GRANTS = [PEOPLE_GRANTS, LIST_GRANTS, KEY_GRANTS, SCORE_GRANTS, USAGE_GRANTS, HOLDER_GRANTS, CORE_GRANTS];
const READ_BY_SERVE = GRANTS.flatMap(({ tables = [] }) => tables);
const COLUMNS_READ_BY_SERVE = GRANTS.flatMap(({ columns = {} }) => Object.entries(columns));
const EXECUTED_BY_SERVE = GRANTS.flatMap(({ functions = [] }) => functions);

/** The functions of the migrations. Others in the schema may belong to extensions. */
const OUR_FUNCTIONS = `select pg_proc.oid from pg_proc
  where pronamespace = 'public'::regnamespace and proowner = (select relowner from pg_class where oid = to_regclass('passport'))
    and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')`;

/** `isPrivileged`: a superuser or the owner of the tables, whose rights cannot be revoked. */
export async function findRole(connection: Connection, role: string): Promise<{ isPrivileged: boolean } | null> {
  const { rows } = await connection.query<{ isPrivileged: boolean }>(
    `select rolsuper or pg_has_role(oid, (select relowner from pg_class where oid = 'passport'::regclass), 'member') as "isPrivileged"
     from pg_roles where rolname = $1`,
    [role],
  );
  return rows[0] ?? null;
}

/** Grants the role the rights that serving needs, and revokes all others. */
export async function replaceServingRights(connection: Connection, role: string): Promise<void> {
  const epochs = await queryColumn<number>(connection, "select epoch from standing_epoch");
  const tables = [...READ_BY_SERVE, ...epochs.flatMap(epochTables)];
  const grantee = pg.escapeIdentifier(role);
  await connection.query(`revoke all on all tables in schema public from ${grantee}`);
  const functions = await queryColumn<string>(
    connection,
    `select oid::regprocedure::text from (${OUR_FUNCTIONS}) as ours`,
  );
  await connection.query(`revoke all on function ${functions.join(", ")} from ${grantee}`);
  await connection.query(`revoke create on schema public from ${grantee}`);
  await connection.query(`grant usage on schema public to ${grantee}`);
  await connection.query(`grant select on ${tables.join(", ")} to ${grantee}`);
  for (const [table, columns] of COLUMNS_READ_BY_SERVE) {
    await connection.query(`grant select (${columns.join(", ")}) on ${table} to ${grantee}`);
  }
  await connection.query(`grant execute on function ${EXECUTED_BY_SERVE.join(", ")} to ${grantee}`);
  await revokeTemporaryTables(connection, grantee);
}

/**
 * PostgreSQL lets every role create temporary tables in a new database. The owner of the tables
 * keeps this right, as imports need it. Does nothing unless the current role is a member of the
 * owner.
 */
async function revokeTemporaryTables(connection: Connection, grantee: string): Promise<void> {
  const statements = await queryColumn<string>(
    connection,
    `select format('grant temporary on database %1$I to %2$s; revoke temporary on database %1$I from public, ${grantee.replaceAll("'", "''").replaceAll("%", "%%")}',
       current_database(), relowner::regrole)
     from pg_class, pg_database
     where pg_class.oid = 'passport'::regclass and datname = current_database() and pg_has_role(datdba, 'member')`,
  );
  for (const statement of statements) await connection.query(statement);
}

export function canCreateTemporaryTables(connection: Connection, role: string): Promise<boolean> {
  return queryValue(connection, "select has_database_privilege($1, current_database(), 'temporary')", [role]);
}

export type RoleRights = { role: string; isSuperuser: boolean; missing: string[]; excess: string[] };

/** The rights that the current role lacks for serving, and those that serving does not need. */
export async function findRoleRights(connection: Connection): Promise<RoleRights> {
  const { rows } = await connection.query<{ name: string; reads: boolean; writes: boolean }>(
    `select relname as name, has_table_privilege(oid, 'select') as reads,
       has_table_privilege(oid, 'insert, update, delete, truncate') as writes
     from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`,
  );
  const needed = COLUMNS_READ_BY_SERVE.flatMap(([table_name, columns]) =>
    columns.map((column_name) => ({ table_name, column_name })),
  );
  type Checks = {
    role: string;
    isSuperuser: boolean;
    createsTables: boolean;
    missingColumns: string[];
    missingFunctions: string[];
    excessFunctions: string[];
    readsContacts: boolean | null;
    createsTemporaryTables: boolean;
  };
  const { rows: checks } = await connection.query<Checks>(
    `select current_user as role, has_schema_privilege('public', 'create') as "createsTables",
       has_database_privilege(current_database(), 'temporary') as "createsTemporaryTables",
       has_column_privilege(to_regclass('api_key'), 'contact', 'select') as "readsContacts",
       array (
         select format('read %s of %s', column_name, table_name)
         from json_to_recordset($1) as needed (table_name text, column_name text)
         where not has_column_privilege(to_regclass(table_name), column_name, 'select')
       ) as "missingColumns",
       array (
         select 'execute ' || name from unnest($2::text[]) as name
         where not has_function_privilege(to_regprocedure(name), 'execute')
       ) as "missingFunctions",
       array (
         select 'execute ' || oid::regprocedure from (${OUR_FUNCTIONS}) as ours
         where has_function_privilege(oid, 'execute')
           and not exists (select from unnest($2::text[]) as name where to_regprocedure(name) = oid)
         order by 1
       ) as "excessFunctions",
       (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser"`,
    [JSON.stringify(needed), EXECUTED_BY_SERVE],
  );
  const { role, isSuperuser, createsTables, missingColumns, readsContacts, createsTemporaryTables } =
    checks[0] as Checks;
  const { missingFunctions, excessFunctions } = checks[0] as Checks;
  const isNeeded = (table: string) => READ_BY_SERVE.includes(table) || /^standing_\d+(_names|_keywords)?$/.test(table);
  return {
    role,
    isSuperuser,
    missing: [
      ...rows.filter((table) => isNeeded(table.name) && !table.reads).map((table) => `read ${table.name}`),
      ...missingColumns,
      ...missingFunctions,
    ],
    excess: [
      ...rows.filter((table) => table.reads && !isNeeded(table.name)).map((table) => `read ${table.name}`),
      ...rows.filter((table) => table.writes).map((table) => `write ${table.name}`),
      ...excessFunctions,
      ...(readsContacts ? ["read the contacts of API keys"] : []),
      ...(createsTables ? ["create tables"] : []),
      ...(createsTemporaryTables ? ["create temporary tables"] : []),
    ],
  };
}
