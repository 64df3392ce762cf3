import type { Grants } from "#core/database/grants.ts";

/** What the serving role may execute. */
export const HOLDER_GRANTS: Grants = {
  functions: [
    "enqueue_request (bytea, bytea, bigint, text, text, text, text, text, text, bigint)",
    "state_of_request (bytea)",
    "withdraw_request (bytea)",
    "fetch_export (bytea, bytea)",
    "waiting_requests ()",
    "report_holder_settings (text, bigint, text, text)",
  ],
  // Not OPT_OUT_KEY's fingerprint: servers have nothing to do with this key.
  columns: {
    holder_settings: [
      "process",
      "holder_requests",
      "erase_grace_seconds",
      "public_url",
      "holder_keys",
      "first_seen_at",
      "last_seen_at",
    ],
  },
};
