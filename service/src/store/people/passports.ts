import type { PassportProfile } from "@credence/contract/passport.ts";
import { copyEncoded, type EncodedRows, encodeRow } from "#store/engine/copy.ts";
import type { Connection } from "#store/engine/database.ts";
import { formattedTimestamp } from "#store/engine/timestamps.ts";

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
  /** Of the line they were taken in from, in hex; null when they come from elsewhere. */
  source_digest: string | null;
};

/** What V1 does not show. */
type OperatorFacts = { hidden: boolean; merged_into: number | null };

/** The beginning of a row for `insertPassports`; what V1 does not show is settled when it is known what is held. */
export function printPassport(facts: PassportFacts): string {
  const row = encodeRow([
    facts.passport_id,
    facts.activity_score,
    facts.identity_score,
    facts.skills_score,
    facts.score,
    facts.calculating_score,
    facts.connections_count,
    facts.human_checkmark,
    facts.last_calculated_at,
    facts.bio,
    facts.display_name,
    facts.folded_name,
    facts.location,
    facts.tags,
    facts.merged,
    facts.source_digest === null ? null : `\\x${facts.source_digest}`,
  ]);
  return `${row.slice(0, -1)}\t`;
}

export type PrintedPassport = { begun: EncodedRows; operator: OperatorFacts };

export async function insertPassports(connection: Connection, passports: readonly PrintedPassport[]): Promise<void> {
  await copyEncoded(
    connection,
    `passport (passport_id, activity_score, identity_score, skills_score, score, calculating_score, connections_count,
       human_checkmark, last_calculated_at, bio, display_name, folded_name, location, tags, merged, source_digest,
       merged_into, hidden)`,
    passports.values().flatMap(({ begun, operator }) => [begun, encodeRow([operator.merged_into, operator.hidden])]),
  );
}

export async function deletePassports(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from passport where passport_id = any ($1)", [passportIds]);
}

export type NewScores = {
  passport_id: number;
  activity_score: number;
  identity_score: number;
  skills_score: number;
  score: number;
};

/** New scores, worked out at this moment. */
export async function updateScores(
  connection: Connection,
  scores: readonly NewScores[],
  calculatedAt: string,
): Promise<void> {
  await connection.query(
    `update passport set activity_score = given.activity_score, identity_score = given.identity_score,
       skills_score = given.skills_score, score = given.score, calculating_score = false, last_calculated_at = $2
     from json_to_recordset($1) as given (passport_id bigint, activity_score double precision,
       identity_score double precision, skills_score double precision, score double precision)
     where passport.passport_id = given.passport_id`,
    [JSON.stringify(scores), calculatedAt],
  );
}

export type FoldedName = { passport_id: number; folded_name: string | null };

export async function updateFoldedNames(connection: Connection, names: readonly FoldedName[]): Promise<void> {
  await connection.query(
    `update passport set folded_name = given.folded_name
     from json_to_recordset($1) as given (passport_id bigint, folded_name text)
     where passport.passport_id = given.passport_id and passport.folded_name is distinct from given.folded_name`,
    [JSON.stringify(names)],
  );
}

export type StoredPassport = Omit<PassportFacts, "folded_name" | "source_digest"> & OperatorFacts;

export async function listPassports(connection: Connection, passportIds: readonly number[]): Promise<StoredPassport[]> {
  const { rows } = await connection.query<StoredPassport>(
    `select passport_id, activity_score, identity_score, skills_score, score, calculating_score, connections_count,
       human_checkmark, ${formattedTimestamp("last_calculated_at")}, bio, display_name, location, tags, merged, merged_into,
       hidden
     from passport where passport_id = any ($1) order by passport_id`,
    [passportIds],
  );
  return rows;
}

/** Of these people, those who are stored. By the primary key. */
export async function listStoredIds(connection: Connection, passportIds: readonly number[]): Promise<number[]> {
  const { rows } = await connection.query<{ passport_id: number }>(
    "select passport_id from passport where passport_id = any ($1) order by passport_id",
    [passportIds],
  );
  return rows.map((row) => row.passport_id);
}

export type UnevenScores = { people: number; first: number[] };

/**
 * How many people's overall score is not the sum of its three parts, to a millionth of a point, and the first twenty of them;
 * null if this role may not look. One pass over passport.
 */
export async function findUnevenScores(connection: Connection): Promise<UnevenScores | null> {
  const { rows: rights } = await connection.query<{ may: boolean }>(
    "select has_table_privilege('passport', 'select') as may",
  );
  if (!rights[0]?.may) return null;
  // Most sums are the very same double; only for the others is it worth printing them as decimals.
  const { rows } = await connection.query<UnevenScores>(
    `select count(*) as people, coalesce(to_json((array_agg(passport_id order by passport_id))[:20]), '[]') as first
     from passport
     where activity_score + identity_score + skills_score <> score
       and round((activity_score + identity_score + skills_score)::numeric, 6) <> round(score::numeric, 6)`,
  );
  return rows[0] ?? null;
}

export async function countPassports(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ count: number }>("select count(*) as count from passport");
  return rows[0]?.count ?? 0;
}

/** In order of their id, beginning after one. By the primary key. */
export async function listPassportIdsAfter(
  connection: Connection,
  after: number,
  limit: number,
  upTo: number = Number.MAX_SAFE_INTEGER,
): Promise<number[]> {
  const { rows } = await connection.query<{ passport_id: number }>(
    "select passport_id from passport where passport_id > $1 and passport_id <= $3 order by passport_id limit $2",
    [after, limit, upTo],
  );
  return rows.map((row) => row.passport_id);
}
