import type { Connection } from "#core/database/database.ts";

/** A change of points. `from` is null for a new credential, `to` for a removed one. */
export type CredentialChange = { id: string; name: string; category: string; from: number | null; to: number | null };

export type ScoreChange = {
  passport_id: number;
  cause: "import" | "recalculation";
  /** The credentials have changed, but the scores are not recalculated yet. */
  waiting: boolean;
  from_score: number | null;
  to_score: number | null;
  from_activity_score: number;
  to_activity_score: number;
  from_identity_score: number;
  to_identity_score: number;
  from_skills_score: number;
  to_skills_score: number;
  credentials: CredentialChange[];
};

const SCORES = `from_score, to_score, from_activity_score, to_activity_score, from_identity_score, to_identity_score,
  from_skills_score, to_skills_score`;

export async function insertScoreChanges(connection: Connection, changes: readonly ScoreChange[]): Promise<void> {
  if (changes.length === 0) return;
  await connection.query(
    `insert into score_change (passport_id, cause, waiting, ${SCORES}, credentials)
     select passport_id, cause, waiting, ${SCORES}, credentials
     from json_populate_recordset(null::score_change, $1) order by passport_id`,
    [JSON.stringify(changes)],
  );
}

export type WaitingChange = Pick<ScoreChange, "passport_id" | "credentials">;

/** Deletes and returns waiting changes, oldest first. By score_change_waiting. */
export async function takeWaitingChanges(
  connection: Connection,
  passportIds: readonly number[],
): Promise<WaitingChange[]> {
  const { rows } = await connection.query<WaitingChange>(
    `with deleted as (
       delete from score_change where passport_id = any ($1) and waiting returning passport_id, changed_at, credentials
     )
     select passport_id, credentials from deleted order by changed_at`,
    [passportIds],
  );
  return rows;
}

export type RecordedScoreChange = ScoreChange & { changed_at: Date };

/** Newest first. By score_change_passport. */
export async function listScoreChanges(connection: Connection, passportId: number): Promise<RecordedScoreChange[]> {
  const { rows } = await connection.query<RecordedScoreChange>(
    `select passport_id, changed_at, cause, waiting, ${SCORES}, credentials
     from score_change where passport_id = $1 order by changed_at desc`,
    [passportId],
  );
  return rows;
}

export async function deleteScoreChanges(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from score_change where passport_id = any ($1)", [passportIds]);
}

/** Deletes up to `limit` old changes, and returns their number. By score_change_changed_at. */
export async function deleteOldScoreChanges(connection: Connection, days: number, limit: number): Promise<number> {
  const { rowCount } = await connection.query(
    `delete from score_change where ctid = any (array (
       select ctid from score_change where changed_at < now() - make_interval(days => $1) limit $2
     ))`,
    [days, limit],
  );
  return rowCount ?? 0;
}
