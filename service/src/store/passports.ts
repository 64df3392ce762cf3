import type { PassportProfile } from "@credence/contract/passport.ts";
import type { Connection } from "./database.ts";
import { printedMoment } from "./moments.ts";

/** The facts of a person that stand in one row. */
export type PassportFacts = PassportProfile & {
  passport_id: number;
  activity_score: number;
  identity_score: number;
  skills_score: number;
  score: number | null;
  calculating_score: boolean;
  connections_count: number;
  human_checkmark: boolean;
  last_calculated_at: string | null;
  folded_name: string | null;
  merged: boolean;
};

export async function upsertPassports(connection: Connection, passports: readonly PassportFacts[]): Promise<void> {
  await connection.query(
    `insert into passport (
       passport_id, activity_score, identity_score, skills_score, score, calculating_score, connections_count,
       human_checkmark, last_calculated_at, bio, display_name, folded_name, location, tags, merged)
     select * from json_to_recordset($1) as given (
       passport_id bigint, activity_score float8, identity_score float8, skills_score float8, score float8,
       calculating_score boolean, connections_count bigint, human_checkmark boolean, last_calculated_at timestamptz,
       bio text, display_name text, folded_name text, location text, tags text[], merged boolean)
     order by passport_id
     on conflict (passport_id) do update set
       activity_score = excluded.activity_score, identity_score = excluded.identity_score,
       skills_score = excluded.skills_score, score = excluded.score, calculating_score = excluded.calculating_score,
       connections_count = excluded.connections_count, human_checkmark = excluded.human_checkmark,
       last_calculated_at = excluded.last_calculated_at, bio = excluded.bio, display_name = excluded.display_name,
       folded_name = excluded.folded_name, location = excluded.location, tags = excluded.tags,
       merged = excluded.merged`,
    [JSON.stringify(passports)],
  );
}

/** What V1 does not show. A key that is missing leaves what is stored. */
export type OperatorFacts = { passport_id: number; hidden?: boolean; merged_into?: number | null };

export async function updateOperatorFacts(connection: Connection, facts: readonly OperatorFacts[]): Promise<void> {
  if (facts.length === 0) return;
  await connection.query(
    `update passport set
       hidden = coalesce(given.hidden, passport.hidden),
       merged_into = case when given.sets_merged_into then given.merged_into else passport.merged_into end
     from json_to_recordset($1) as given (
       passport_id bigint, hidden boolean, merged_into bigint, sets_merged_into boolean)
     where passport.passport_id = given.passport_id`,
    [JSON.stringify(facts.map((fact) => ({ ...fact, sets_merged_into: fact.merged_into !== undefined })))],
  );
}

export type StoredPassport = Omit<PassportFacts, "folded_name"> & { merged_into: number | null; hidden: boolean };

export async function listPassports(connection: Connection, passportIds: readonly number[]): Promise<StoredPassport[]> {
  const { rows } = await connection.query<StoredPassport>(
    `select passport_id, activity_score, identity_score, skills_score, score, calculating_score, connections_count,
       human_checkmark, ${printedMoment("last_calculated_at")}, bio, display_name, location, tags, merged, merged_into,
       hidden
     from passport where passport_id = any ($1)`,
    [passportIds],
  );
  return rows;
}
