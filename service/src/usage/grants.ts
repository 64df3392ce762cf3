import type { Grants } from "#core/database/grants.ts";

/** What the serving role may execute. */
export const USAGE_GRANTS: Grants = { functions: ["record_usage (jsonb)"] };
