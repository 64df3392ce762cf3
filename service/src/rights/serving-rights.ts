import type { Connection } from "#core/database/database.ts";
import type { Grants } from "#core/database/grants.ts";
import { MIGRATIONS_TABLE } from "#core/database/migrations.ts";
import { HOLDER_GRANTS } from "#holders/grants.ts";
import { KEY_GRANTS } from "#keys/grants.ts";
import { LIST_GRANTS } from "#list/grants.ts";
import { USAGE_GRANTS } from "#usage/grants.ts";

/** Documents and the ways to find them. Here, as servers load nothing of people. */
const DOCUMENT_GRANTS: Grants = {
  tables: ["passport_document", "credential_document", "wallet_owner"],
};

/** Workers, the schema version. */
const CORE_GRANTS: Grants = { tables: ["worker_process", MIGRATIONS_TABLE] };

/** All rights of the serving role. No facts, and no contacts of keys. */
const GRANTS = [DOCUMENT_GRANTS, LIST_GRANTS, KEY_GRANTS, USAGE_GRANTS, HOLDER_GRANTS, CORE_GRANTS];
export const READ_BY_SERVE = GRANTS.flatMap(({ tables = [] }) => tables);
export const COLUMNS_READ_BY_SERVE = GRANTS.flatMap(({ columns = {} }) => Object.entries(columns));
export const EXECUTED_BY_SERVE = GRANTS.flatMap(({ functions = [] }) => functions);

/** The functions of the migrations. Others in the schema may belong to extensions. */
export const OUR_FUNCTIONS = `select pg_proc.oid from pg_proc
  where pronamespace = 'public'::regnamespace and proowner = (select relowner from pg_class where oid = to_regclass('person'))
    and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')`;

/** Without it, every table seems to be missing. */
const USE_SCHEMA = "use the schema public";

/**
 * Whether a server cannot answer a single look-up without these rights. It does not answer before it
 * has read the schema version, because it may be too old for the database.
 */
export function preventsLookUps(missing: readonly string[], authMode: string): boolean {
  const lacks = (...rights: string[]) => rights.some((right) => missing.includes(right));
  return (
    lacks(USE_SCHEMA, `read ${MIGRATIONS_TABLE}`) ||
    (lacks("read passport_document") && lacks("read credential_document")) ||
    (authMode === "required" && missing.some((right) => / of api_key$/.test(right)))
  );
}

/** `isOwner`: it may do what the owner of the tables may, and does not only because it is a superuser. */
export type RoleRights = { role: string; isSuperuser: boolean; isOwner: boolean; missing: string[]; excess: string[] };

/** The rights that the current role lacks for serving, and those that serving does not need. */
export async function findRoleRights(connection: Connection): Promise<RoleRights> {
  const { rows } = await connection.query<{ name: string; reads: boolean; writes: boolean }>(
    `select relname as name, has_table_privilege(oid, 'select') as reads,
       has_table_privilege(oid, 'insert, update, delete, truncate') as writes
     from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v') order by relname`,
  );
  const needed = COLUMNS_READ_BY_SERVE.flatMap(([table_name, columns]) =>
    columns.map((column_name) => ({ table_name, column_name })),
  );
  type Checks = {
    role: string;
    isSuperuser: boolean;
    usesSchema: boolean;
    createsTables: boolean;
    missingColumns: string[];
    missingFunctions: string[];
    excessFunctions: string[];
    readsContacts: boolean | null;
    createsTemporaryTables: boolean;
    isOwner: boolean | null;
  };
  const { rows: checks } = await connection.query<Checks>(
    `select current_user as role, has_schema_privilege('public', 'usage') as "usesSchema", has_schema_privilege('public', 'create') as "createsTables",
       has_database_privilege(current_database(), 'temporary') as "createsTemporaryTables",
       has_column_privilege(to_regclass('api_key'), 'contact', 'select') as "readsContacts",
       array (
         select format('read %s of %s', column_name, table_name)
         from json_to_recordset($1) as needed (table_name text, column_name text)
           join pg_attribute on attrelid = to_regclass(table_name) and attname = column_name
         where not has_column_privilege(attrelid, attnum, 'select')
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
       (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
       (
         select case when rolsuper then pg_roles.oid = relowner else pg_has_role(relowner, 'member') end
         from pg_class, pg_roles where pg_class.oid = to_regclass('person') and rolname = current_user
       ) as "isOwner"`,
    [JSON.stringify(needed), EXECUTED_BY_SERVE],
  );
  const { role, isSuperuser, usesSchema, createsTables, missingColumns, readsContacts, createsTemporaryTables } =
    checks[0] as Checks;
  const { missingFunctions, excessFunctions } = checks[0] as Checks;
  const isNeeded = (table: string) => READ_BY_SERVE.includes(table) || /^standing_\d+(_names|_keywords)?$/.test(table);
  return {
    role,
    isSuperuser,
    isOwner: (checks[0] as Checks).isOwner ?? false,
    missing: [
      ...(usesSchema ? [] : [USE_SCHEMA]),
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
