import { type Database, inTransaction } from "#core/database/database.ts";
import { lock } from "#core/database/locks.ts";
import { canCreateTemporaryTables, findRole, replaceServingRights } from "./replace-rights.ts";

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
