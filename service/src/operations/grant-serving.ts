import { type Database, inTransaction } from "#store/database.ts";
import { lock } from "#store/locks.ts";
import { grantServing as grant, roleExists } from "#store/roles.ts";

/** Gives a role that exists exactly the rights `serve` needs; false when there is no such role. */
export function grantServing(database: Database, role: string): Promise<boolean> {
  return inTransaction(database, async (connection) => {
    if (!(await roleExists(connection, role))) return false;
    // An epoch that is being built has already asked whom to grant itself to.
    await lock(connection, "standing");
    await grant(connection, role);
    return true;
  });
}
