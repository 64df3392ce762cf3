import type { Connection } from "#core/database/database.ts";
import { listCounted } from "#people/facts/credentials.ts";
import { groupByPerson } from "#people/read/read-people.ts";
import type { Change } from "#people/write/find-changes.ts";
import { findDifferences } from "#scores/formula/differences.ts";
import { scoresOf } from "#scores/formula/score.ts";
import { areEqualScores, recordScoreChanges } from "./record-score-changes.ts";

/** People per query: the size of their stored credentials is unknown. */
const SLICE = 100;

/**
 * Records how an import changes the scores of stored people. Runs while their old credentials are
 * still stored.
 */
export async function recordImportedScores(connection: Connection, known: readonly Change[]): Promise<void> {
  const rescored = known.flatMap(({ stored, ...change }) => {
    if (stored === null) return [];
    const isSame =
      stored.credentials_etag === change.credentials_etag && areEqualScores(stored, scoresOf(change.passport));
    return isSame ? [] : [{ ...change, stored }];
  });
  for (let index = 0; index < rescored.length; index += SLICE) {
    const slice = rescored.slice(index, index + SLICE);
    const ids = slice.map((change) => change.passport_id);
    const before = groupByPerson(await listCounted(connection, ids));
    const changes = slice.map(({ passport_id, stored, passport, credentials }) => ({
      passport_id,
      from: scoresOf(stored),
      to: scoresOf(passport),
      credentials: findDifferences(before(passport_id), credentials),
    }));
    await recordScoreChanges(connection, "import", changes);
  }
}
