import type { Connection } from "#store/engine/database.ts";

/** How a credential's points changed: from null when it came, to null when it went. */
export type CredentialChange = { id: string; name: string; category: string; from: number | null; to: number | null };

export type ScoreChange = {
  passport_id: number;
  cause: "import" | "recalculation";
  /** Credentials changed and the scores did not, so far. */
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

/** Takes out what waits for a change of these people's scores, in the order in which it happened. By score_change_waiting. */
export async function takeWaitingChanges(
  connection: Connection,
  passportIds: readonly number[],
): Promise<WaitingChange[]> {
  const { rows } = await connection.query<WaitingChange>(
    `with taken as (
       delete from score_change where passport_id = any ($1) and waiting returning passport_id, changed_at, credentials
     )
     select passport_id, credentials from taken order by changed_at`,
    [passportIds],
  );
  return rows;
}

export type RecordedScoreChange = ScoreChange & { changed_at: Date };

/** The newest first. By score_change_passport. */
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

/** Forgets some of what is older than so many days; returns how many. By score_change_changed_at. */
export async function deleteOldScoreChanges(connection: Connection, days: number, limit: number): Promise<number> {
  const { rowCount } = await connection.query(
    `delete from score_change where ctid = any (array (
       select ctid from score_change where changed_at < now() - make_interval(days => $1) limit $2
     ))`,
    [days, limit],
  );
  return rowCount ?? 0;
}
