import type { Grants } from "#core/database/grants.ts";

/** What the serving role may read: documents and the ways to find them. No facts. */
export const PEOPLE_GRANTS: Grants = {
  tables: ["passport_document", "credential_document", "wallet_owner", "carried_fields"],
};
