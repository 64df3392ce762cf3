/** Functions that the serving role may execute. */
export const HOLDER_FUNCTIONS = [
  "enqueue_request (bytea, bytea, bigint, text, text, text, text, text)",
  "state_of_request (bytea)",
  "withdraw_request (bytea)",
  "fetch_export (bytea, bytea)",
  "waiting_requests ()",
] as const;
