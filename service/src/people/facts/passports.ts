import type { PassportProfile } from "@credence/contract/passport.ts";
import { copyRows } from "#core/database/copy.ts";
import { type Connection, formattedTimestamp, queryColumn, queryValue } from "#core/database/database.ts";

/** A row of `passport`. */
export type PassportRow = PassportProfile & {
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
  /**
   * Digest of the line that the person was imported from, in hex; null for people from elsewhere.
   */
  source_digest: string | null;
  /** Not shown by V1. */
  hidden: boolean;
};

export async function insertPassports(connection: Connection, rows: readonly PassportRow[]): Promise<void> {
  await copyRows(
    connection,
    `passport (passport_id, activity_score, identity_score, skills_score, score, calculating_score, connections_count,
       human_checkmark, last_calculated_at, bio, display_name, folded_name, location, tags, merged, source_digest,
       hidden)`,
    rows,
    (row) => [
      row.passport_id,
      row.activity_score,
      row.identity_score,
      row.skills_score,
      row.score,
      row.calculating_score,
      row.connections_count,
      row.human_checkmark,
      row.last_calculated_at,
      row.bio,
      row.display_name,
      row.folded_name,
      row.location,
      row.tags,
      row.merged,
      row.source_digest === null ? null : `\\x${row.source_digest}`,
      row.hidden,
    ],
  );
}

export async function deletePassports(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from passport where passport_id = any ($1)", [passportIds]);
}

export type FoldedName = { passport_id: number; folded_name: string | null };

export async function updateFoldedNames(connection: Connection, names: readonly FoldedName[]): Promise<void> {
  await connection.query(
    `update passport set folded_name = input.folded_name
     from json_to_recordset($1) as input (passport_id bigint, folded_name text)
     where passport.passport_id = input.passport_id and passport.folded_name is distinct from input.folded_name`,
    [JSON.stringify(names)],
  );
}

export type StoredPassport = Omit<PassportRow, "folded_name" | "source_digest">;

export async function listPassports(connection: Connection, passportIds: readonly number[]): Promise<StoredPassport[]> {
  const { rows } = await connection.query<StoredPassport>(
    `select passport_id, activity_score, identity_score, skills_score, score, calculating_score, connections_count,
       human_checkmark, ${formattedTimestamp("last_calculated_at")}, bio, display_name, location, tags, merged, hidden
     from passport where passport_id = any ($1) order by passport_id`,
    [passportIds],
  );
  return rows;
}

/** Of these ids, those of hidden people. By the primary key. */
export async function listHiddenIds(connection: Connection, passportIds: readonly number[]): Promise<number[]> {
  return queryColumn<number>(
    connection,
    "select passport_id from passport where passport_id = any ($1) and hidden order by passport_id",
    [passportIds],
  );
}

/** Of these ids, those that are stored. By the primary key. */
export async function listStoredIds(connection: Connection, passportIds: readonly number[]): Promise<number[]> {
  return queryColumn<number>(
    connection,
    "select passport_id from passport where passport_id = any ($1) order by passport_id",
    [passportIds],
  );
}

export async function countPassports(connection: Connection): Promise<number> {
  return (await queryValue<number>(connection, "select count(*) as count from passport")) ?? 0;
}

/** Ids in order, after one and up to another. By the primary key. */
export async function listPassportIdsAfter(
  connection: Connection,
  after: number,
  limit: number,
  upTo: number = Number.MAX_SAFE_INTEGER,
): Promise<number[]> {
  return queryColumn<number>(
    connection,
    "select passport_id from passport where passport_id > $1 and passport_id <= $3 order by passport_id limit $2",
    [after, limit, upTo],
  );
}

export type PeopleCounts = { stored: number; hidden: number; merged: number; opted_out: number };

/** Null if this role may not read facts. One scan of passport. */
export async function countPeople(connection: Connection): Promise<PeopleCounts | null> {
  const mayRead = "has_table_privilege('passport', 'select') and has_table_privilege('opt_out', 'select')";
  if (!(await queryValue<boolean>(connection, `select ${mayRead}`))) return null;
  const { rows } = await connection.query<PeopleCounts>(
    `select count(*) as stored, count(*) filter (where hidden) as hidden,
       count(*) filter (where merged) as merged, (select count(*) from opt_out) as opted_out
     from passport`,
  );
  return rows[0] ?? null;
}
