import type { Grants } from "#core/database/grants.ts";

/** What the serving role may read: how old a mirror is, and whose; when this server signed for mirrors. */
export const MIRROR_GRANTS: Grants = {
  columns: {
    mirror_of: [
      "url",
      "began_at",
      "latest_at",
      "expires_at",
      "has_ended",
      "created_at",
      "taken_over_at",
      "held_people",
    ],
    publication: ["signed_at", "signed_until"],
  },
};
