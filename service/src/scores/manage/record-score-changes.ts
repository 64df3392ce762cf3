import type { Connection, Database } from "#core/database/database.ts";
import { groupByPerson } from "#people/read/read-people.ts";
import { type Difference, joinDifferences } from "#scores/formula/differences.ts";
import type { Scores } from "#scores/formula/score.ts";
import { deleteOldScoreChanges, insertScoreChanges, type ScoreChange, takeWaitingChanges } from "./score-changes.ts";

/** How long changes of scores are kept. */
export const HISTORY_DAYS = 90;

/** Scores before and after, and the credentials that changed at the same time. */
export type ScoreMove = { passport_id: number; from: Scores; to: Scores; credentials: Difference[] };

export const areEqualScores = (a: Scores, b: Scores): boolean =>
  a.activity_score === b.activity_score &&
  a.identity_score === b.identity_score &&
  a.skills_score === b.skills_score &&
  a.score === b.score;

/**
 * Records changes of scores. An import may change credentials long before the scores: its record
 * waits, and is joined to the next record that changes the scores. A recalculation counts all
 * credentials, so nothing waits after it.
 */
export async function recordScoreChanges(
  connection: Connection,
  cause: ScoreChange["cause"],
  moves: readonly ScoreMove[],
): Promise<void> {
  if (moves.length === 0) return;
  const ids = moves.map((move) => move.passport_id);
  const waiting = groupByPerson(await takeWaitingChanges(connection, ids));
  const changes = moves.flatMap(({ passport_id, from, to, credentials: latest }): ScoreChange[] => {
    const earlier = waiting(passport_id).map((change) => change.credentials);
    const credentials = joinDifferences([...earlier, latest]);
    const isEqual = areEqualScores(from, to);
    if (isEqual && (cause === "recalculation" || credentials.length === 0)) return [];
    return [{ passport_id, cause, waiting: isEqual, ...columns(from, to), credentials }];
  });
  await insertScoreChanges(connection, changes);
}

const columns = (from: Scores, to: Scores) => ({
  from_score: from.score,
  to_score: to.score,
  from_activity_score: from.activity_score,
  to_activity_score: to.activity_score,
  from_identity_score: from.identity_score,
  to_identity_score: to.identity_score,
  from_skills_score: from.skills_score,
  to_skills_score: to.skills_score,
});

const DELETED_AT_ONCE = 10_000;

export async function deleteOldHistory(database: Database): Promise<void> {
  while ((await deleteOldScoreChanges(database, HISTORY_DAYS, DELETED_AT_ONCE)) === DELETED_AT_ONCE);
}
