import type { Grants } from "#core/database/grants.ts";

/** What the serving role may read: how long people wait, not who waits. */
export const SCORE_GRANTS: Grants = {
  columns: {
    recalculation_due: ["due_at"],
    recalculation_of_all: ["begun_at"],
    recalculation_set_aside: ["set_aside_at"],
  },
};
