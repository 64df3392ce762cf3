import type { Grants } from "#core/database/grants.ts";

/** What the serving role may execute. */
export const HOLDER_GRANTS: Grants = {
  functions: [
    "enqueue_request (bytea, bytea, bigint, text, text, text, text, text)",
    "state_of_request (bytea)",
    "withdraw_request (bytea)",
    "fetch_export (bytea, bytea)",
    "waiting_requests ()",
  ],
};
