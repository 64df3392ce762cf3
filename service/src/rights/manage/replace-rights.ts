import pg from "pg";
import { type Connection, type Database, inTransaction, queryColumn, queryValue } from "#core/database/database.ts";
import { lock } from "#core/database/locks.ts";
import { epochTables } from "#list/epochs.ts";
import { COLUMNS_READ_BY_SERVE, EXECUTED_BY_SERVE, OUR_FUNCTIONS, READ_BY_SERVE } from "#rights/serving-rights.ts";

/** `granted, with temporary tables`: only the owner of the database can revoke that right. */
export type Granted = "granted" | "granted, with temporary tables" | "no such role" | "too privileged";

/** Leaves an existing role with exactly the rights that `serve` needs. */
export function grantServing(database: Database, name: string): Promise<Granted> {
  return inTransaction(database, async (connection) => {
    const role = await findRole(connection, name);
    if (role === null) return "no such role";
    if (role.isPrivileged) return "too privileged";
    // A build reads the list of grantees at its start and would miss this role.
    await lock(connection, "standing");
    await replaceServingRights(connection, name);
    return (await canCreateTemporaryTables(connection, name)) ? "granted, with temporary tables" : "granted";
  });
}

/** `isPrivileged`: a superuser or the owner of the tables, whose rights cannot be revoked. */
async function findRole(connection: Connection, role: string): Promise<{ isPrivileged: boolean } | null> {
  const { rows } = await connection.query<{ isPrivileged: boolean }>(
    `select rolsuper or pg_has_role(oid, (select relowner from pg_class where oid = 'person'::regclass), 'member') as "isPrivileged"
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
  const { rows } = await connection.query<{ database: string; owner: string }>(
    `select datname as database, rolname as owner
     from pg_class join pg_roles on pg_roles.oid = relowner, pg_database
     where pg_class.oid = 'person'::regclass and datname = current_database() and pg_has_role(datdba, 'member')`,
  );
  for (const { database, owner } of rows) {
    const name = pg.escapeIdentifier(database);
    await connection.query(`grant temporary on database ${name} to ${pg.escapeIdentifier(owner)}`);
    await connection.query(`revoke temporary on database ${name} from public, ${grantee}`);
  }
}

function canCreateTemporaryTables(connection: Connection, role: string): Promise<boolean> {
  return queryValue(connection, "select has_database_privilege($1, current_database(), 'temporary')", [role]);
}
