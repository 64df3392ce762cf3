import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { listUnknownKeyHashes } from "#usage/manage/usage-reports.ts";
import { type Adopted, type AdoptedKey, adoptKey, type KeyOwner } from "./issue-key.ts";

/** Accepts an unknown key that clients have sent, by the beginning of its SHA-256. */
export async function adoptSeenKey(
  database: Connection,
  prefix: string,
  owner: KeyOwner,
): Promise<Adopted | "not seen" | "ambiguous"> {
  const [hash, another] = await listUnknownKeyHashes(database, prefix.toLowerCase());
  if (hash === undefined) return "not seen";
  if (another !== undefined) return "ambiguous";
  return adoptKey(database, { hash: Buffer.from(hash, "hex") }, owner);
}

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
