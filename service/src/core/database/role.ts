import type { Connection } from "./database.ts";

export type ManagingRole = {
  role: string;
  database: string;
  /** The owner of the tables; null if there are none. */
  owner: string | null;
  /** It has the rights of that owner. */
  isOwner: boolean;
  /** It may read and write all tables. */
  writes: boolean;
  /** It may create tables. */
  creates: boolean;
};

/** What the current role may do with the tables of the migrations. */
export async function findManagingRole(connection: Connection): Promise<ManagingRole> {
  const { rows } = await connection.query<ManagingRole>(
    `with ours as (
       select oid, relowner from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
         and relowner = (select relowner from pg_class where relnamespace = 'public'::regnamespace and relname = 'person'))
     select current_user as role, current_database() as database,
       (select pg_get_userbyid(relowner) from ours limit 1) as owner,
       (select bool_and(pg_has_role(relowner, 'usage')) from ours) as "isOwner",
       (select bool_and(has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
          and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')) from ours) as writes,
       has_schema_privilege('public', 'create') as creates`,
  );
  return rows[0] as ManagingRole;
}
