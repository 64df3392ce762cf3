import type { Connection } from "#store/engine/database.ts";

/** An API key, without its label and contact. */
export type KnownKey = {
  key_id: string;
  hash: Buffer;
  adopted: boolean;
  expires_at: Date | null;
  revoked_at: Date | null;
};

/** The columns that the serving role may read: not the label and contact. */
export const KEY_COLUMNS_FOR_SERVE = ["key_id", "hash", "adopted", "expires_at", "revoked_at", "changed_at"];

/** Keys created or changed since a time, and the time of this query. By api_key_changed_at. */
export async function listKeysChangedSince(
  connection: Connection,
  since: Date,
): Promise<{ readAt: Date; keys: KnownKey[] }> {
  type Row = { read_at: Date } & ({ key_id: null } | KnownKey);
  const { rows } = await connection.query<Row>({
    name: "keys-changed-since",
    text: `select now() as read_at, ${KEY_COLUMNS_FOR_SERVE.join(", ")}
      from (select) as clock left join api_key on changed_at >= $1`,
    values: [since],
  });
  return { readAt: (rows[0] as Row).read_at, keys: rows.filter((row) => row.key_id !== null) };
}

export type NewKey = {
  keyId: string;
  hash: Buffer;
  adopted: boolean;
  label: string;
  contact: string;
  expiresAt: Date | null;
};

/** Returns false if a key with this hash exists. */
export async function insertKey(connection: Connection, key: NewKey): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into api_key (key_id, hash, adopted, label, contact, expires_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (hash) do nothing`,
    [key.keyId, key.hash, key.adopted, key.label, key.contact, key.expiresAt],
  );
  return rowCount === 1;
}

export type ListedKey = {
  key_id: string;
  label: string;
  contact: string;
  adopted: boolean;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
};

const LISTED_COLUMNS = "key_id, label, contact, adopted, created_at, expires_at, revoked_at";

export async function listKeys(connection: Connection): Promise<ListedKey[]> {
  const { rows } = await connection.query<ListedKey>(
    `select ${LISTED_COLUMNS} from api_key order by created_at, key_id`,
  );
  return rows;
}

/** Revokes a key. A revoked key is unchanged. Returns null if there is no such key. */
export async function updateKeyRevoked(connection: Connection, keyId: string): Promise<ListedKey | null> {
  const { rows } = await connection.query<ListedKey>(
    `update api_key set revoked_at = coalesce(revoked_at, now()), changed_at = now() where key_id = $1 returning ${LISTED_COLUMNS}`,
    [keyId],
  );
  return rows[0] ?? null;
}
