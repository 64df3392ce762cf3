import type { Connection } from "#core/database/database.ts";
import { KEY_COLUMNS_FOR_SERVE } from "#keys/grants.ts";

/** An API key, without its label and contact. */
export type KnownKey = {
  key_id: string;
  hash: Buffer;
  adopted: boolean;
  expires_at: Date | null;
  revoked_at: Date | null;
  /** Points per 10 seconds; null for the default. */
  points_limit: number | null;
  /** Until then, requests with this key get 410. */
  rehearsed_until: Date | null;
};

/** Keys created or changed since a time, and the time of this query. Uses the index api_key_changed_at. */
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
