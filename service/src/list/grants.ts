import type { Grants } from "#core/database/grants.ts";

/** What the serving role may read and execute. The tables of each epoch are granted when it is built. */
export const LIST_GRANTS: Grants = { tables: ["standing_epoch", "people_change"], functions: ["grams (text)"] };
