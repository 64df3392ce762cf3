import { type Database, inTransaction } from "#core/database/database.ts";
import { findKeyForUpdate, type StoredKey, updateKeyExpiry } from "./api-keys.ts";
import { type IssuedKey, issueKey } from "./issue-key.ts";

export type Rotated = IssuedKey & { oldKey: StoredKey };

/**
 * Issues a key with the label, contact and limit of another one, which expires after the overlap.
 * Until then its owner can use both.
 */
export function rotateKey(
  database: Database,
  keyId: string,
  { overlapMs, expiresAt }: { overlapMs: number; expiresAt: Date | null },
): Promise<Rotated | "no such key" | "not valid"> {
  return inTransaction(database, async (connection) => {
    const key = await findKeyForUpdate(connection, keyId);
    if (key === null) return "no such key";
    if (key.revoked_at !== null || (key.expires_at !== null && key.expires_at.getTime() <= Date.now()))
      return "not valid";
    const { label, contact, points_limit: pointsLimit } = key;
    const issued = await issueKey(connection, { label, contact, pointsLimit, expiresAt });
    const oldKey = await updateKeyExpiry(connection, keyId, new Date(Date.now() + overlapMs));
    return { ...issued, oldKey: oldKey as StoredKey };
  });
}
