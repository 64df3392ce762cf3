import { type Connection, queryColumn } from "#core/database/database.ts";

/** A key with its hash, and times as text, as in a file of keys. */
export type MovedKey = {
  key_id: string;
  hash: string;
  adopted: boolean;
  label: string;
  contact: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  points_limit: number | null;
  rehearsed_until: string | null;
};

export function listKeysToMove(connection: Connection): Promise<MovedKey[]> {
  return queryColumn(
    connection,
    `select json_build_object('key_id', key_id, 'hash', encode(hash, 'hex'), 'adopted', adopted, 'label', label,
       'contact', contact, 'created_at', created_at, 'expires_at', expires_at, 'revoked_at', revoked_at,
       'points_limit', points_limit, 'rehearsed_until', rehearsed_until)
     from api_key order by created_at, key_id`,
  );
}

const INCOMING = `json_to_recordset($1) as incoming (key_id text, hash text, adopted boolean, label text, contact text,
  created_at timestamptz, expires_at timestamptz, revoked_at timestamptz, points_limit integer, rehearsed_until timestamptz)`;

/**
 * Adds the keys whose id and hash are both new, and returns them. A file of protections may have
 * revoked a key before it came.
 */
export async function insertMovedKeys(connection: Connection, keys: readonly MovedKey[]): Promise<string[]> {
  const added = await queryColumn<string>(
    connection,
    `insert into api_key (key_id, hash, adopted, label, contact, created_at, expires_at, revoked_at, points_limit, rehearsed_until)
     select key_id, decode(hash, 'hex'), adopted, label, contact, created_at, least(incoming.expires_at, kept.expires_at),
       coalesce(incoming.revoked_at, kept.revoked_at), points_limit, rehearsed_until
     from ${INCOMING} left join kept_key as kept using (key_id)
     on conflict do nothing returning key_id`,
    [JSON.stringify(keys)],
  );
  await connection.query("delete from kept_key where key_id = any ($1)", [added]);
  return added;
}

/** Of these keys, those that are stored with another hash, or whose hash is stored under another id. */
export function listConflicts(connection: Connection, keys: readonly MovedKey[]): Promise<string[]> {
  return queryColumn(
    connection,
    `select distinct incoming.key_id
     from ${INCOMING} join api_key as stored on (stored.key_id = incoming.key_id) <> (encode(stored.hash, 'hex') = incoming.hash)
     order by 1`,
    [JSON.stringify(keys)],
  );
}

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
