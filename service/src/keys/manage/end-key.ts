import { type Database, inTransaction } from "#core/database/database.ts";
import { appendKeyDecision } from "#decisions/ledger.ts";
import { findKeyForUpdate, type StoredKey, updateKeyExpiry, updateKeyRevoked } from "./api-keys.ts";
import { type IssuedKey, issueKey } from "./issue-key.ts";

// Both are decisions, so that a restored backup does not bring an ended key back.

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
    await appendKeyDecision(connection, "expire key", keyId, oldKey?.expires_at ?? null);
    return { ...issued, oldKey: oldKey as StoredKey };
  });
}

/** Revokes a key. A revoked key is unchanged. Returns null if there is no such key. */
export function revokeKey(database: Database, keyId: string): Promise<StoredKey | null> {
  return inTransaction(database, async (connection) => {
    const key = await updateKeyRevoked(connection, keyId);
    if (key !== null) await appendKeyDecision(connection, "revoke key", keyId);
    return key;
  });
}
