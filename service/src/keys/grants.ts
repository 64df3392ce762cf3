import type { Grants } from "#core/database/grants.ts";

/** The columns that the serving role may read: not the label and contact. */
export const KEY_COLUMNS_FOR_SERVE = [
  "key_id",
  "hash",
  "adopted",
  "expires_at",
  "revoked_at",
  "points_limit",
  "rehearsed_until",
  "changed_at",
];

/** What the serving role may read. */
export const KEY_GRANTS: Grants = { columns: { api_key: KEY_COLUMNS_FOR_SERVE } };
