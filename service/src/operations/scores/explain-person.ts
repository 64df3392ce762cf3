import type { HeldPerson } from "#operations/people/read-people.ts";
import { type Explanation, explainChange, explainCredential } from "#scoring/explain.ts";
import { type Scores, scoreCredentials, scoresOf } from "#scoring/score.ts";
import type { Connection } from "#store/engine/database.ts";
import { listAbsorbedIds } from "#store/people/merges.ts";
import { findSetAside, listDueIds } from "#store/scores/recalculation-queue.ts";
import { type CredentialChange, listScoreChanges, type RecordedScoreChange } from "#store/scores/score-changes.ts";
import { areAlike } from "./record-score-changes.ts";

/** What the credentials held come to; `uncounted` are categories that count for nothing. */
type CountedScores = { scores: Scores | null; reason: string | null; uncounted: string[]; adds_up: boolean };

export type ShownPerson = HeldPerson & {
  due: boolean;
  set_aside: string | null;
  absorbed: number[];
  counted: CountedScores;
};

/** All that is held of a person, and what their scores are made of. */
export async function showPerson(connection: Connection, person: HeldPerson): Promise<ShownPerson> {
  const { passport_id } = person.passport;
  return {
    ...person,
    due: (await listDueIds(connection, [passport_id])).length > 0,
    set_aside: await findSetAside(connection, passport_id),
    absorbed: await listAbsorbedIds(connection, [passport_id]),
    counted: count(person),
  };
}

function count({ passport, credentials }: HeldPerson): CountedScores {
  try {
    const { scores, uncounted } = scoreCredentials(credentials);
    return { scores, reason: null, uncounted, adds_up: areAlike(scoresOf(passport), scores) };
  } catch (error) {
    return { scores: null, reason: (error as Error).message, uncounted: [], adds_up: false };
  }
}

/** A change of scores with its reasons; `by` of a credential is null if its category counts for nothing. */
export type ExplainedChange = Explanation &
  Omit<RecordedScoreChange, "credentials"> & { credentials: (CredentialChange & { by: number | null })[] };

/** Every change of a person's scores that is remembered, the newest first. */
export async function explainScores(connection: Connection, passportId: number): Promise<ExplainedChange[]> {
  const changes = await listScoreChanges(connection, passportId);
  return changes.map((change) => ({
    ...change,
    ...explainChange(change.from_score, change.to_score, change.credentials),
    credentials: change.credentials.map((credential) => ({ ...credential, by: explainCredential(credential) })),
  }));
}
