import type { Connection } from "#core/database/database.ts";
import { type Finding, ok, warning } from "#core/terminal/check.ts";

/**
 * Whether the role that owns the tables is a superuser. Functions that the serving role calls run with
 * its rights, and so does every command.
 */
export async function checkOwner(database: Connection): Promise<Finding> {
  const { rows } = await database.query<{ owner: string; isSuperuser: boolean }>(
    `select rolname as owner, rolsuper as "isSuperuser"
     from pg_class join pg_roles on pg_roles.oid = relowner where pg_class.oid = to_regclass('person')`,
  );
  const { owner = "", isSuperuser = false } = rows[0] ?? {};
  if (!isSuperuser) return ok(`${owner} owns the tables, and is no superuser`);
  return warning(
    `${owner} owns the tables and is a superuser: workers, commands and functions for serving may do anything`,
    "Use a role without that right: restore a backup as another role, as docs/OPERATING.md describes.",
  );
}
