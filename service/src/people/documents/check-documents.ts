import type { Database } from "#core/database/database.ts";
import type { Finding } from "#core/terminal/check.ts";
import { findCarriedState } from "#people/facts/carried-fields.ts";
import { findForeignPresenter } from "#people/facts/documents.ts";
import { PRESENTER_VERSION, passportVersion } from "#people/present/version.ts";

export async function checkDocuments(database: Database): Promise<Finding> {
  const { carried, presentedTo } = await findCarriedState(database);
  const fields = carried.size === 0 ? "" : `; carried fields: ${[...carried].join(", ")}`;
  if (presentedTo !== null) {
    return {
      state: "warning",
      finding: `some stored answers were written before the last change of the carried fields${fields}`,
      advice: "`credence fields list` shows how many. A running `credence work` continues.",
    };
  }
  const versions = { passport: passportVersion(carried), credentials: PRESENTER_VERSION };
  const foreign = await findForeignPresenter(database, versions);
  if (foreign === null)
    return {
      state: "ok",
      finding: `stored answers were written by this program${fields}; \`credence documents verify\` compares their content`,
    };
  return {
    state: "problem",
    finding: `some stored answers were written by another version of this program (${foreign}; this one has ${versions.passport})`,
    advice: "Run `credence documents rebuild`, then `credence standing refresh`.",
  };
}
