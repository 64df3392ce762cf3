import { type Connection, queryColumn } from "#core/database/database.ts";

/** The limits of a key in a file. */
export type KeyLimits = { key_id: string; revoked_at: string | null; expires_at: string | null };

export const FILE_KEYS = `(
  select key_id, min(revoked_at) as revoked_at, min(expires_at) as expires_at
  from json_to_recordset($1) as line (key_id text, revoked_at timestamptz, expires_at timestamptz) group by key_id
) as file`;

const IS_RESTRICTED = `api_key.key_id = file.key_id
       and ((api_key.revoked_at is null and file.revoked_at is not null)
         or file.expires_at < coalesce(api_key.expires_at, 'infinity'))`;

/** The keys that `updateKeysRestricted` would change. */
export const listKeysToRestrict = (connection: Connection, keys: readonly KeyLimits[]): Promise<string[]> =>
  queryColumn(connection, `select api_key.key_id from api_key, ${FILE_KEYS} where ${IS_RESTRICTED} order by 1`, [
    JSON.stringify(keys),
  ]);

/** Revokes keys and shortens their validity as in the file. Returns the keys that changed. */
export function updateKeysRestricted(connection: Connection, keys: readonly KeyLimits[]): Promise<string[]> {
  return queryColumn(
    connection,
    `update api_key set revoked_at = coalesce(api_key.revoked_at, file.revoked_at),
       expires_at = least(api_key.expires_at, file.expires_at), changed_at = now()
     from ${FILE_KEYS}
     where ${IS_RESTRICTED} returning api_key.key_id`,
    [JSON.stringify(keys)],
  );
}
