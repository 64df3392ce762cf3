/** Functions that the serving role may execute. */
export const USAGE_FUNCTIONS = ["record_usage (jsonb)"] as const;
