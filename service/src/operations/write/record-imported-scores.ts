import { groupByPerson } from "#operations/people/read-people.ts";
import { areAlike, noteScores } from "#operations/scores/record-score-changes.ts";
import { findDifferences } from "#scoring/differences.ts";
import type { Connection } from "#store/engine/database.ts";
import { listCounted, readCounted } from "#store/people/credentials.ts";
import type { Change } from "./find-changes.ts";

/** Who has other scores, or other credentials, than before. */
const mayBeRescored = ({ held, scores, credentials_etag }: Change): boolean =>
  held !== null && (held.credentials_etag !== credentials_etag || !areAlike(held, scores));

const SLICE = 100;

/**
 * Leaves a record of what an import changes in the scores of people it knows, while their old credentials are still there. A few
 * people at a time, as nobody knows how much those held have.
 */
export async function noteImportedScores(connection: Connection, known: readonly Change[]): Promise<void> {
  const rescored = known.filter(mayBeRescored);
  for (let at = 0; at < rescored.length; at += SLICE) {
    const some = rescored.slice(at, at + SLICE);
    const before = groupByPerson(
      await listCounted(
        connection,
        some.map((change) => change.passport_id),
      ),
    );
    const moves = some.flatMap(({ passport_id, held, scores, rows }) =>
      held === null
        ? []
        : [
            {
              passport_id,
              from: held,
              to: scores,
              credentials: findDifferences(before(passport_id), readCounted(rows.credentials)),
            },
          ],
    );
    await noteScores(connection, "import", moves);
  }
}
