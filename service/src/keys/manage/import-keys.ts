import { type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { insertMovedKeys, listConflicts, type MovedKey, updateKeysRestricted } from "./move-keys.ts";

export type MovedKeys = {
  added: string[];
  /** Stored already, and now revoked or expiring earlier, as in the file. */
  restricted: string[];
  /** Stored with another hash, or under another id. They are not changed. */
  conflicts: string[];
};

/** Adds keys with their hashes. Of keys that are stored already, only restrictions are applied. */
export function importKeys(database: Database, keys: readonly MovedKey[]): Promise<MovedKeys> {
  return inTransaction(database, async (connection) => {
    // Not beside an import of protections, which would not see these keys.
    await lockPeople(connection);
    const conflicts = await listConflicts(connection, keys);
    const same = keys.filter(({ key_id }) => !conflicts.includes(key_id));
    const restricted = await updateKeysRestricted(connection, same);
    return { added: await insertMovedKeys(connection, same), restricted, conflicts };
  });
}
