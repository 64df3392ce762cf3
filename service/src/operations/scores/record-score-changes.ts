import { groupByPerson } from "#operations/people/read-people.ts";
import { type Difference, joinDifferences } from "#scoring/differences.ts";
import type { Scores } from "#scoring/score.ts";
import type { Connection, Database } from "#store/engine/database.ts";
import {
  deleteOldScoreChanges,
  insertScoreChanges,
  type ScoreChange,
  takeWaitingChanges,
} from "#store/scores/score-changes.ts";

/** How long it is remembered what changed a score. */
export const HISTORY_DAYS = 90;

/** Scores before and after, and which credentials changed at the same time. */
export type ScoreMove = { passport_id: number; from: Scores; to: Scores; credentials: Difference[] };

export const areAlike = (one: Scores, other: Scores): boolean =>
  one.activity_score === other.activity_score &&
  one.identity_score === other.identity_score &&
  one.skills_score === other.skills_score &&
  one.score === other.score;

/**
 * Leaves a record of each change of scores. Credentials may change long before the scores do, when an import brings only the
 * first: such a record waits, and the one that changes the scores tells of both. A recalculation that changes nothing counts
 * them too, so nothing waits after it.
 */
export async function noteScores(
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
    const stays = areAlike(from, to);
    if (stays && (cause === "recalculation" || credentials.length === 0)) return [];
    return [{ passport_id, cause, waiting: stays, ...namedScores(from, to), credentials }];
  });
  await insertScoreChanges(connection, changes);
}

const namedScores = (from: Scores, to: Scores) => ({
  from_score: from.score,
  to_score: to.score,
  from_activity_score: from.activity_score,
  to_activity_score: to.activity_score,
  from_identity_score: from.identity_score,
  to_identity_score: to.identity_score,
  from_skills_score: from.skills_score,
  to_skills_score: to.skills_score,
});

const FORGOTTEN_AT_ONCE = 10_000;

export async function forgetOldScores(database: Database): Promise<void> {
  while ((await deleteOldScoreChanges(database, HISTORY_DAYS, FORGOTTEN_AT_ONCE)) === FORGOTTEN_AT_ONCE);
}
