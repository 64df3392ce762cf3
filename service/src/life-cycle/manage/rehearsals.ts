import type { Connection } from "#core/database/database.ts";

export type RehearsedKey = { key_id: string; label: string; contact: string; rehearsed_until: Date | null };

/**
 * Sets the end of the rehearsal for a valid key, or removes it. Returns null if there is no valid
 * key with this id. Nodes read the change by changed_at.
 */
export async function updateKeyRehearsed(
  connection: Connection,
  keyId: string,
  until: Date | null,
): Promise<RehearsedKey | null> {
  const { rows } = await connection.query<RehearsedKey>(
    `update api_key set rehearsed_until = $2, changed_at = now()
     where key_id = $1 and revoked_at is null and (expires_at is null or expires_at > now())
     returning key_id, label, contact, rehearsed_until`,
    [keyId, until],
  );
  return rows[0] ?? null;
}
