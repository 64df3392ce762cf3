import type { Grants } from "#core/database/grants.ts";

/** What the serving role may execute. */
export const HOLDER_GRANTS: Grants = {
  functions: [
    "enqueue_request (bytea, text, text, text, text, text)",
    "states_of_requests (bytea[])",
    "waiting_requests ()",
  ],
};
