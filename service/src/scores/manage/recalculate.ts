import { type Connection, type Database, inSavepoint, inTransaction } from "#core/database/database.ts";
import { describeDataFault } from "#core/database/failures.ts";
import { lockPeopleShared } from "#core/database/locks.ts";
import { countPeopleChange } from "#list/manage/change-counter.ts";
import { presentPassports } from "#people/documents/make-documents.ts";
import { splitBySize } from "#people/documents/split-by-size.ts";
import { writePassportDocuments } from "#people/documents/write-documents.ts";
import { listScoring } from "#people/facts/credentials.ts";
import { upsertPassportDocuments } from "#people/facts/documents.ts";
import { updateScores } from "#people/facts/passports.ts";
import { groupByPerson, type PassportFacts, readPassports } from "#people/read/read-people.ts";
import { type Scores, scoreCredentials, scoresOf } from "#scores/formula/score.ts";
import { claimDue, upsertSetAside } from "./recalculation-queue.ts";
import { areEqualScores, recordScoreChanges } from "./record-score-changes.ts";

/** `uncounted` has the first categories that no score counts. */
export type Recalculated = { people: number; changed: number; set_aside: number; uncounted: string[] };

export const nothingRecalculated = (): Recalculated => ({ people: 0, changed: 0, set_aside: 0, uncounted: [] });

/**
 * Recalculates up to `limit` people, those due longest first, in one transaction: a worker that
 * dies leaves them due. Several workers can run at once.
 */
export function recalculateDue(database: Database, limit: number): Promise<Recalculated> {
  return inTransaction(database, async (connection) => {
    await lockPeopleShared(connection);
    const ids = await claimDue(connection, limit);
    let recalculated = nothingRecalculated();
    if (ids.length === 0) return recalculated;
    for (const part of await splitBySize(connection, ids)) {
      recalculated = addRecalculated(recalculated, await recalculateOrHalve(connection, part));
    }
    // Last, because other workers wait here until the transaction ends.
    await countPeopleChange(connection);
    return recalculated;
  });
}

/**
 * If PostgreSQL refuses the result of a person, halves the people until that person is isolated and
 * set aside.
 */
async function recalculateOrHalve(connection: Connection, ids: readonly number[]): Promise<Recalculated> {
  try {
    return await inSavepoint(connection, () => recalculate(connection, ids));
  } catch (error) {
    const fault = describeDataFault(error);
    if (fault === null) throw error;
    const [first] = ids;
    if (first === undefined) return nothingRecalculated();
    if (ids.length === 1) {
      await setAside(connection, [{ passport_id: first, reason: fault }]);
      return { ...nothingRecalculated(), people: 1, set_aside: 1 };
    }
    const half = Math.ceil(ids.length / 2);
    const result = await recalculateOrHalve(connection, ids.slice(0, half));
    return addRecalculated(result, await recalculateOrHalve(connection, ids.slice(half)));
  }
}

/** Categories come from the data, so only some are listed. */
const MAX_UNCOUNTED = 20;

export const addRecalculated = (a: Recalculated, b: Recalculated): Recalculated => ({
  people: a.people + b.people,
  changed: a.changed + b.changed,
  set_aside: a.set_aside + b.set_aside,
  uncounted: [...new Set([...a.uncounted, ...b.uncounted])].slice(0, MAX_UNCOUNTED),
});

async function recalculate(connection: Connection, ids: readonly number[]): Promise<Recalculated> {
  const people = await readPassports(connection, ids);
  const credentials = groupByPerson(await listScoring(connection, ids));
  const calculatedAt = new Date().toISOString();
  const failures: Failure[] = [];
  const results = people.flatMap((facts) => {
    const { passport_id } = facts.passport;
    try {
      const { scores, uncounted } = scoreCredentials(credentials(passport_id));
      const rescored = rescore(facts, scores, calculatedAt);
      return [{ passport_id, before: scoresOf(facts.passport), scores, uncounted, rescored }];
    } catch (error) {
      failures.push({ passport_id, reason: (error as Error).message });
      return [];
    }
  });
  await updateScores(
    connection,
    results.map(({ passport_id, scores }) => ({ passport_id, ...scores })),
    calculatedAt,
  );
  const documents = await presentPassports(
    connection,
    results.map((result) => result.rescored),
  );
  await upsertPassportDocuments(connection, documents);
  await recordScoreChanges(
    connection,
    "recalculation",
    results.map(({ passport_id, before, scores }) => ({ passport_id, from: before, to: scores, credentials: [] })),
  );
  await setAside(connection, failures);
  return {
    people: ids.length,
    changed: results.filter(({ before, scores }) => !areEqualScores(before, scores)).length,
    set_aside: failures.length,
    uncounted: [...new Set(results.flatMap((result) => result.uncounted))],
  };
}

const rescore = ({ passport, operator }: PassportFacts, scores: Scores, last_calculated_at: string): PassportFacts => ({
  passport: { ...passport, ...scores, calculating_score: false, last_calculated_at },
  operator,
});

type Failure = { passport_id: number; reason: string };

/** People set aside keep their scores and are no longer shown as being calculated. */
async function setAside(connection: Connection, failures: readonly Failure[]): Promise<void> {
  for (const { passport_id, reason } of failures) await upsertSetAside(connection, passport_id, reason);
  await writePassportDocuments(
    connection,
    failures.map((failure) => failure.passport_id),
  );
}
