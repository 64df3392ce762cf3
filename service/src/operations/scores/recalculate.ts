import { presentPassports } from "#operations/documents/make-documents.ts";
import { cutBySize } from "#operations/documents/split-by-size.ts";
import { writePassportDocuments } from "#operations/documents/write-documents.ts";
import { groupByPerson, type HeldPassport, readPassports } from "#operations/people/read-people.ts";
import { type Scores, scoreCredentials, scoresOf } from "#scoring/score.ts";
import { type Connection, type Database, inSavepoint, inTransaction } from "#store/engine/database.ts";
import { describeDataFault } from "#store/engine/failures.ts";
import { lockPeopleShared } from "#store/engine/locks.ts";
import { countPeopleChange } from "#store/people/change-counter.ts";
import { listScoring } from "#store/people/credentials.ts";
import { upsertPassportDocuments } from "#store/people/documents.ts";
import { updateScores } from "#store/people/passports.ts";
import { claimDue, upsertSetAside } from "#store/scores/recalculation-queue.ts";
import { areAlike, noteScores } from "./record-score-changes.ts";

/** `changed` are those whose scores are others now, `uncounted` categories that count for nothing, or the first of them. */
export type Recalculated = { people: number; changed: number; set_aside: number; uncounted: string[] };

export const nobody = (): Recalculated => ({ people: 0, changed: 0, set_aside: 0, uncounted: [] });

/**
 * Recalculates up to `limit` of the people who have been due longest, in one transaction: a worker that dies leaves them due,
 * as they were. Any number of workers may do so at once.
 */
export function recalculateDue(database: Database, limit: number): Promise<Recalculated> {
  return inTransaction(database, async (connection) => {
    await lockPeopleShared(connection);
    const ids = await claimDue(connection, limit);
    if (ids.length === 0) return nobody();
    let recalculated = nobody();
    for (const part of await cutBySize(connection, ids)) {
      recalculated = join(recalculated, await recalculateOrHalve(connection, part));
    }
    // Last, as the next worker waits here until the transaction ends.
    await countPeopleChange(connection);
    return recalculated;
  });
}

/** If the database refuses what somebody's data comes to, the others are done without them. */
async function recalculateOrHalve(connection: Connection, ids: readonly number[]): Promise<Recalculated> {
  try {
    return await inSavepoint(connection, () => recalculate(connection, ids));
  } catch (error) {
    const fault = describeDataFault(error);
    if (fault === null) throw error;
    const [first] = ids;
    if (first === undefined) return nobody();
    if (ids.length === 1) {
      await setAside(connection, [{ passport_id: first, reason: fault }]);
      return { ...nobody(), people: 1, set_aside: 1 };
    }
    const half = Math.ceil(ids.length / 2);
    const one = await recalculateOrHalve(connection, ids.slice(0, half));
    return join(one, await recalculateOrHalve(connection, ids.slice(half)));
  }
}

export const join = (one: Recalculated, other: Recalculated): Recalculated => ({
  people: one.people + other.people,
  changed: one.changed + other.changed,
  set_aside: one.set_aside + other.set_aside,
  // Categories are whatever data says: some of them are enough.
  uncounted: [...new Set([...one.uncounted, ...other.uncounted])].slice(0, 20),
});

async function recalculate(connection: Connection, ids: readonly number[]): Promise<Recalculated> {
  const people = await readPassports(connection, ids);
  const credentials = groupByPerson(await listScoring(connection, ids));
  const calculatedAt = new Date().toISOString();
  const failures: Failure[] = [];
  const results = people.flatMap(({ passport, operator }) => {
    const { passport_id } = passport;
    try {
      const { scores, uncounted } = scoreCredentials(credentials(passport_id));
      return [
        { before: scoresOf(passport), scores, uncounted, held: rescore({ passport, operator }, scores, calculatedAt) },
      ];
    } catch (error) {
      failures.push({ passport_id, reason: (error as Error).message });
      return [];
    }
  });
  await updateScores(
    connection,
    results.map(({ held, scores }) => ({ passport_id: held.passport.passport_id, ...scores })),
    calculatedAt,
  );
  await upsertPassportDocuments(
    connection,
    await presentPassports(
      connection,
      results.map((result) => result.held),
    ),
  );
  const changed = results.filter(({ before, scores }) => !areAlike(before, scores));
  await noteScores(
    connection,
    "recalculation",
    results.map(({ held, before, scores }) => ({
      passport_id: held.passport.passport_id,
      from: before,
      to: scores,
      credentials: [],
    })),
  );
  await setAside(connection, failures);
  const uncounted = [...new Set(results.flatMap((result) => result.uncounted))];
  return { people: ids.length, changed: changed.length, set_aside: failures.length, uncounted };
}

const rescore = ({ passport, operator }: HeldPassport, scores: Scores, last_calculated_at: string): HeldPassport => ({
  passport: { ...passport, ...scores, calculating_score: false, last_calculated_at },
  operator,
});

type Failure = { passport_id: number; reason: string };

/** They keep the scores they have, and are no longer shown as being calculated. */
async function setAside(connection: Connection, failures: readonly Failure[]): Promise<void> {
  for (const { passport_id, reason } of failures) await upsertSetAside(connection, passport_id, reason);
  await writePassportDocuments(
    connection,
    failures.map((failure) => failure.passport_id),
  );
}
