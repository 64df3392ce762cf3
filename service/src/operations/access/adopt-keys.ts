import { type Database, inTransaction } from "#store/engine/database.ts";
import { type AdoptedKey, adoptKey, type KeyOwner } from "./issue-key.ts";

/** Accepts many keys, all or none. Returns their ids, and how many were stored already. */
export function adoptKeys(
  database: Database,
  keys: readonly { key: AdoptedKey; owner: KeyOwner }[],
): Promise<{ adopted: string[]; known: number }> {
  return inTransaction(database, async (connection) => {
    const adopted: string[] = [];
    for (const { key, owner } of keys) {
      const result = await adoptKey(connection, key, owner);
      if (result !== "known already") adopted.push(result.keyId);
    }
    return { adopted, known: keys.length - adopted.length };
  });
}
