import type { Database } from "#core/database/database.ts";
import type { Finding } from "#core/terminal/check.ts";
import { findForeignPresenter } from "#people/facts/documents.ts";
import { PRESENTER_VERSION } from "#people/present/version.ts";

export async function checkDocuments(database: Database): Promise<Finding> {
  const foreign = await findForeignPresenter(database, PRESENTER_VERSION);
  if (foreign === null)
    return {
      state: "ok",
      finding: "stored answers were written by this program; `credence documents verify` compares their content",
    };
  return {
    state: "problem",
    finding: `some stored answers were written by another version of this program (${foreign}; this one has ${PRESENTER_VERSION})`,
    advice: "Run `credence documents rebuild`, then `credence standing refresh`.",
  };
}
