import { copyEncoded, encodeRow } from "#core/database/copy.ts";
import { type Connection, formattedTimestamp, queryColumn, queryValue } from "#core/database/database.ts";

/** What the columns beside a line say about it. */
export type Derived = {
  passport_id: number;
  score: number | null;
  last_calculated_at: string | null;
  folded_name: string | null;
  merged: boolean;
  credentials: number;
};

/** A row of `person`. `digest`: of the imported line in hex; null if the stored line is another one. */
export type PersonRow = Derived & { lost_main: boolean; digest: string | null; line: string };

export function insertPeople(connection: Connection, people: readonly PersonRow[]): Promise<void> {
  return copyEncoded(
    connection,
    "person (passport_id, score, last_calculated_at, folded_name, merged, credentials, lost_main, digest, line)",
    people
      .values()
      .map((row) =>
        encodeRow([
          row.passport_id,
          row.score,
          row.last_calculated_at,
          row.folded_name,
          row.merged,
          row.credentials,
          row.lost_main,
          row.digest === null ? null : `\\x${row.digest}`,
          row.line,
        ]),
      ),
  );
}

export async function deletePeopleRows(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from person where passport_id = any ($1)", [passportIds]);
}

/** Replaces lines from which a wallet was removed. */
export async function updateLines(
  connection: Connection,
  lines: readonly Pick<PersonRow, "passport_id" | "lost_main" | "line">[],
): Promise<void> {
  await connection.query(
    `update person set line = changed.line::json, lost_main = changed.lost_main, digest = null
     from json_to_recordset($1) as changed (passport_id bigint, lost_main boolean, line text)
     where person.passport_id = changed.passport_id`,
    [JSON.stringify(lines)],
  );
}

export async function updateDerived(connection: Connection, rows: readonly Derived[]): Promise<void> {
  await connection.query(
    `update person set score = right_one.score, last_calculated_at = right_one.last_calculated_at,
       folded_name = right_one.folded_name, merged = right_one.merged, credentials = right_one.credentials
     from json_to_recordset($1) as right_one (passport_id bigint, score double precision, last_calculated_at timestamptz,
       folded_name text, merged boolean, credentials integer)
     where person.passport_id = right_one.passport_id`,
    [JSON.stringify(rows)],
  );
}

export type StoredLine = { passport_id: number; line: string; lost_main: boolean };

/** The lines of these people, in order of their ids. */
export async function listLines(connection: Connection, passportIds: readonly number[]): Promise<StoredLine[]> {
  const { rows } = await connection.query<StoredLine>(
    "select passport_id, line::text as line, lost_main from person where passport_id = any ($1) order by passport_id",
    [passportIds],
  );
  return rows;
}

export async function listDerived(connection: Connection, passportIds: readonly number[]): Promise<Derived[]> {
  const { rows } = await connection.query<Derived>(
    `select passport_id, score, ${formattedTimestamp("last_calculated_at")}, folded_name, merged, credentials
     from person where passport_id = any ($1)`,
    [passportIds],
  );
  return rows;
}

/** What tells whether an incoming person equals the stored one. The ETags of people who are not shown are null. */
export type StoredState = {
  passport_id: number;
  merged: boolean;
  lost_main: boolean;
  etag: string | null;
  credentials_etag: string | null;
  presenter: number | null;
  credentials_presenter: number | null;
};

/** Of these people, those that are stored. By primary keys. */
export async function listStoredStates(connection: Connection, passportIds: readonly number[]): Promise<StoredState[]> {
  const { rows } = await connection.query<StoredState>({
    name: "stored-states",
    text: `select passport_id, merged, lost_main, passport_document.etag, credential_document.etag as credentials_etag,
       passport_document.presenter, credential_document.presenter as credentials_presenter
     from person left join passport_document using (passport_id) left join credential_document using (passport_id)
     where passport_id = any ($1)`,
    values: [passportIds],
  });
  return rows;
}

export type Digest = { passport_id: number; digest: string };

/** Stores the digests of incoming lines that equal the stored state. */
export async function updateDigests(connection: Connection, digests: readonly Digest[]): Promise<void> {
  await connection.query(
    `update person set digest = decode(incoming.digest, 'hex')
     from json_to_recordset($1) as incoming (passport_id bigint, digest text)
     where person.passport_id = incoming.passport_id`,
    [JSON.stringify(digests)],
  );
}

export async function listDigests(
  connection: Connection,
  passportIds: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await connection.query<Digest>({
    name: "digests",
    text: "select passport_id, encode(digest, 'hex') as digest from person where passport_id = any ($1) and digest is not null",
    values: [passportIds],
  });
  return new Map(rows.map((row) => [row.passport_id, row.digest]));
}

/** Of these ids, those that a decision hides, stored or not. */
export const listHiddenIds = (connection: Connection, passportIds: readonly number[]): Promise<number[]> =>
  queryColumn(connection, "select distinct passport_id from decision_in_force where passport_id = any ($1)", [
    passportIds,
  ]);

/** Of these ids, those that are stored. By the primary key. */
export const listStoredIds = (connection: Connection, passportIds: readonly number[]): Promise<number[]> =>
  queryColumn(connection, "select passport_id from person where passport_id = any ($1) order by passport_id", [
    passportIds,
  ]);

/** Lines in order of their ids, after one. By the primary key. */
export async function listLinesAfter(
  connection: Connection,
  after: number,
  limit: number,
): Promise<(StoredLine & { credentials: number })[]> {
  const { rows } = await connection.query<StoredLine & { credentials: number }>(
    `select passport_id, line::text as line, lost_main, credentials from person
     where passport_id > $1 order by passport_id limit $2`,
    [after, limit],
  );
  return rows;
}

export const countStored = (connection: Connection): Promise<number> =>
  queryValue(connection, "select count(*) from person");

/** People whose main wallet was erased with somebody else. One scan; `ids` has the first ones. */
export async function findLostMain(connection: Connection, limit: number): Promise<{ people: number; ids: number[] }> {
  const { rows } = await connection.query<{ people: number; ids: number[] }>(
    `select count(*) as people, coalesce(to_json((array_agg(passport_id order by passport_id))[:$1]), '[]') as ids
     from person where lost_main`,
    [limit],
  );
  return rows[0] ?? { people: 0, ids: [] };
}

export type PeopleCounts = { stored: number; hidden: number; merged: number; erased: number };

/** Null if this role may not read facts. One scan of person. */
export async function countPeople(connection: Connection): Promise<PeopleCounts | null> {
  const mayRead = "has_table_privilege('person', 'select') and has_table_privilege('decision', 'select')";
  if (!(await queryValue<boolean>(connection, `select ${mayRead}`))) return null;
  const { rows } = await connection.query<PeopleCounts>(
    `select count(*) as stored,
       (select count(*) from person_state where exists (select from person where person.passport_id = person_state.passport_id)) as hidden,
       count(*) filter (where merged) as merged, (select count(*) from person_state where erased) as erased
     from person`,
  );
  return rows[0] ?? null;
}

/** When the person was erased; null if no erasure is in force. */
export const findErasedAt = (connection: Connection, passportId: number): Promise<Date | null> =>
  queryValue(connection, "select max(decided_at) from decision_in_force where passport_id = $1 and action = 'erased'", [
    passportId,
  ]);
