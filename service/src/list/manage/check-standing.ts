import { type Connection, type Database, queryValue } from "#core/database/database.ts";
import { describeWorkers } from "#core/process/worker-processes.ts";
import { type Finding, MAX_UNLISTED_HOURS } from "#core/terminal/check.ts";
import { formatNumber } from "#core/terminal/output.ts";
import { findCurrentEpoch, findUnlistedSeconds } from "#list/epochs.ts";

export async function checkStanding(database: Database): Promise<Finding> {
  const { total, age_seconds } = await findCurrentEpoch(database);
  const hours = age_seconds / 3_600;
  const finding = `the list has ${formatNumber(total)} people and is ${hours < 1 ? "under an hour" : `${Math.round(hours)} h`} old`;
  if (total === 0 && (await hasListedDocuments(database))) {
    return {
      state: "problem",
      finding: `${finding}: it is empty, although people are stored`,
      advice: "Run `credence standing refresh` with the role that owns the tables.",
    };
  }
  const unlistedHours = (await findUnlistedSeconds(database)) / 3_600;
  if (unlistedHours < MAX_UNLISTED_HOURS) return { state: "ok", finding };
  const advice = `${await describeWorkers(database)} Without a worker, run \`credence standing refresh\` after changes.`;
  return { state: "warning", finding: `${finding}; changes wait for ${Math.round(unlistedHours)} h`, advice };
}

/**
 * True if a person that belongs in the standing has a document. For the serving role, which may not
 * read facts. Hidden people have no document, and the document of a merged person has
 * `"merged":true`; inside a text the quotes would be escaped.
 */
async function hasListedDocuments(connection: Connection): Promise<boolean> {
  return (
    (await queryValue<boolean>(
      connection,
      `select exists (select from passport_document where tail like '%"merged":false%') as found`,
    )) ?? false
  );
}
