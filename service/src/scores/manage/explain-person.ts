import type { Connection } from "#core/database/database.ts";
import { listDueIds } from "#people/facts/due.ts";
import { listAbsorbedIds } from "#people/facts/merges.ts";
import type { PersonFacts } from "#people/read/read-people.ts";
import { type Explanation, explainChange, explainCredential } from "#scores/formula/explain.ts";
import { type Scores, scoreCredentials, scoresOf } from "#scores/formula/score.ts";
import { findSetAside } from "./recalculation-queue.ts";
import { areEqualScores } from "./record-score-changes.ts";
import { type CredentialChange, listScoreChanges, type RecordedScoreChange } from "./score-changes.ts";

/**
 * The scores that the stored credentials give. `uncounted` has the categories that no score counts.
 */
type CountedScores = { scores: Scores | null; reason: string | null; uncounted: string[]; adds_up: boolean };

export type ShownPerson = PersonFacts & {
  due: boolean;
  set_aside: string | null;
  absorbed: number[];
  counted: CountedScores;
};

/** A person's facts, and how the scores come about. */
export async function showPerson(connection: Connection, person: PersonFacts): Promise<ShownPerson> {
  const { passport_id } = person.passport;
  return {
    ...person,
    due: (await listDueIds(connection, [passport_id])).length > 0,
    set_aside: await findSetAside(connection, passport_id),
    absorbed: await listAbsorbedIds(connection, [passport_id]),
    counted: count(person),
  };
}

function count({ passport, credentials }: PersonFacts): CountedScores {
  try {
    const { scores, uncounted } = scoreCredentials(credentials);
    return { scores, reason: null, uncounted, adds_up: areEqualScores(scoresOf(passport), scores) };
  } catch (error) {
    return { scores: null, reason: (error as Error).message, uncounted: [], adds_up: false };
  }
}

/**
 * A change of scores with its reasons. `by` of a credential is null if no score counts its
 * category.
 */
export type ExplainedChange = Explanation &
  Omit<RecordedScoreChange, "credentials"> & { credentials: (CredentialChange & { by: number | null })[] };

/** All stored changes of a person's scores, the newest first. */
export async function explainScores(connection: Connection, passportId: number): Promise<ExplainedChange[]> {
  const changes = await listScoreChanges(connection, passportId);
  return changes.map((change) => ({
    ...change,
    ...explainChange(change.from_score, change.to_score, change.credentials),
    credentials: change.credentials.map((credential) => ({ ...credential, by: explainCredential(credential) })),
  }));
}
