import type { Connection } from "#core/database/database.ts";

export type NewKey = {
  keyId: string;
  hash: Buffer;
  adopted: boolean;
  label: string;
  contact: string;
  expiresAt: Date | null;
  /** Points per 10 seconds; null for the default. */
  pointsLimit: number | null;
};

/** Returns false if a key with this hash exists. */
export async function insertKey(connection: Connection, key: NewKey): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into api_key (key_id, hash, adopted, label, contact, expires_at, points_limit) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (hash) do nothing`,
    [key.keyId, key.hash, key.adopted, key.label, key.contact, key.expiresAt, key.pointsLimit],
  );
  return rowCount === 1;
}

export type StoredKey = {
  key_id: string;
  label: string;
  contact: string;
  adopted: boolean;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  points_limit: number | null;
};

const STORED_COLUMNS = "key_id, label, contact, adopted, created_at, expires_at, revoked_at, points_limit";

/** `last_used_at` is null if usage does not contain the key: never used, or not for a long time. */
export type ListedKey = StoredKey & { last_used_at: Date | null };

export async function listKeys(connection: Connection): Promise<ListedKey[]> {
  const { rows } = await connection.query<ListedKey>(
    `select ${STORED_COLUMNS}, last_used_at
     from api_key left join (select client, max(last_at) as last_used_at from usage_count group by client) as seen on client = key_id
     order by created_at, key_id`,
  );
  return rows;
}

export type KeyCounts = { valid: number; expired: number; revoked: number };

/** The serving role can count them too. */
export async function countKeys(connection: Connection): Promise<KeyCounts> {
  const { rows } = await connection.query<KeyCounts>(
    `select count(*) filter (where revoked_at is null and (expires_at is null or expires_at > now()))::integer as valid,
       count(*) filter (where revoked_at is null and expires_at <= now())::integer as expired,
       count(*) filter (where revoked_at is not null)::integer as revoked
     from api_key`,
  );
  return rows[0] as KeyCounts;
}

/** The keys that expire soon, in order. The serving role can read them too. */
export async function listExpiringKeys(
  connection: Connection,
  withinDays: number,
): Promise<{ key_id: string; expires_at: Date }[]> {
  const { rows } = await connection.query<{ key_id: string; expires_at: Date }>(
    `select key_id, expires_at from api_key
     where revoked_at is null and expires_at > now() and expires_at < now() + make_interval(days => $1)
     order by expires_at, key_id`,
    [withinDays],
  );
  return rows;
}

export async function findKey(connection: Connection, keyId: string): Promise<StoredKey | null> {
  const { rows } = await connection.query<StoredKey>(`select ${STORED_COLUMNS} from api_key where key_id = $1`, [
    keyId,
  ]);
  return rows[0] ?? null;
}

/** Finds a key and locks its row until the transaction ends. */
export async function findKeyForUpdate(connection: Connection, keyId: string): Promise<StoredKey | null> {
  const { rows } = await connection.query<StoredKey>(
    `select ${STORED_COLUMNS} from api_key where key_id = $1 for update`,
    [keyId],
  );
  return rows[0] ?? null;
}

/** Revokes a key. A revoked key is unchanged. Returns null if there is no such key. */
export function updateKeyRevoked(connection: Connection, keyId: string): Promise<StoredKey | null> {
  return updateKey(connection, keyId, "revoked_at = coalesce(revoked_at, now())");
}

/** Makes a key expire at a time, or earlier if it already expires earlier. */
export function updateKeyExpiry(connection: Connection, keyId: string, expiresAt: Date): Promise<StoredKey | null> {
  return updateKey(connection, keyId, "expires_at = least(expires_at, $2)", [expiresAt]);
}

/** Sets the limit of a key; null for the default. Returns null if there is no such key. */
export function updateKeyLimit(
  connection: Connection,
  keyId: string,
  pointsLimit: number | null,
): Promise<StoredKey | null> {
  return updateKey(connection, keyId, "points_limit = $2", [pointsLimit]);
}

async function updateKey(
  connection: Connection,
  keyId: string,
  change: string,
  values: unknown[] = [],
): Promise<StoredKey | null> {
  const { rows } = await connection.query<StoredKey>(
    `update api_key set ${change}, changed_at = now() where key_id = $1 returning ${STORED_COLUMNS}`,
    [keyId, ...values],
  );
  return rows[0] ?? null;
}
