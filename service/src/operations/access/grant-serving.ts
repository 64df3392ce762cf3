import { canCreateTemporaryTables, findRole, grantServing as grant } from "#store/access/roles.ts";
import { type Database, inTransaction } from "#store/engine/database.ts";
import { lock } from "#store/engine/locks.ts";

/** `granted, with temporary tables`: only the owner of the database can take that right away. */
export type Granted = "granted" | "granted, with temporary tables" | "no such role" | "too mighty";

/** Gives a role that exists exactly the rights `serve` needs; says why where that cannot be. */
export function grantServing(database: Database, name: string): Promise<Granted> {
  return inTransaction(database, async (connection) => {
    const role = await findRole(connection, name);
    if (role === null) return "no such role";
    if (role.isPrivileged) return "too mighty";
    // An epoch that is being built has already asked whom to grant itself to.
    await lock(connection, "standing");
    await grant(connection, name);
    return (await canCreateTemporaryTables(connection, name)) ? "granted, with temporary tables" : "granted";
  });
}
