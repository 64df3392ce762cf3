import { type Connection, queryColumn, queryValue } from "#core/database/database.ts";

// On a mirror, people who are stored and whom the publisher does not show any more.

export type AbsentPerson = {
  passport_id: number;
  /** Hidden by the operator of the mirror or by the holder too. */
  hidden_here: boolean;
};

/** Stored people whom the import of this session has not seen, and who were not absent before. By primary keys. */
export async function listNewlyAbsent(connection: Connection): Promise<AbsentPerson[]> {
  const { rows } = await connection.query<AbsentPerson>(
    `select passport_id, hidden as hidden_here from passport
     where not exists (select from pg_temp.seen_person as seen where seen.passport_id = passport.passport_id)
       and not exists (select from mirror_absent as absent where absent.passport_id = passport.passport_id)
     order by passport_id`,
  );
  return rows;
}

export async function insertAbsent(
  connection: Connection,
  people: readonly AbsentPerson[],
  keptForDays: number,
): Promise<void> {
  await connection.query(
    `insert into mirror_absent (passport_id, hidden_here, delete_at)
     select passport_id, hidden_here, now() + $2 * interval '1 day'
     from json_to_recordset($1) as absent (passport_id bigint, hidden_here boolean)`,
    [JSON.stringify(people), keptForDays],
  );
}

/** Forgets those whom the import of this session has seen, and returns them. */
export async function deleteReturned(connection: Connection): Promise<AbsentPerson[]> {
  const { rows } = await connection.query<AbsentPerson>(
    `delete from mirror_absent as absent using pg_temp.seen_person as seen
     where seen.passport_id = absent.passport_id returning absent.passport_id, hidden_here`,
  );
  return rows;
}

/** The operator of a server that took over shows somebody again. */
export async function deleteAbsent(connection: Connection, passportId: number): Promise<void> {
  await connection.query("delete from mirror_absent where passport_id = $1", [passportId]);
}

/** Of these people, those who are absent. */
export async function listAbsent(connection: Connection, passportIds: readonly number[]): Promise<AbsentPerson[]> {
  const { rows } = await connection.query<AbsentPerson>(
    "select passport_id, hidden_here from mirror_absent where passport_id = any ($1)",
    [passportIds],
  );
  return rows;
}

/** A decision of this server, which the file of protections has to contain. */
export async function updateHiddenHere(
  connection: Connection,
  passportIds: readonly number[],
  hidden: boolean,
): Promise<void> {
  await connection.query(
    `with changed as (
       update mirror_absent set hidden_here = $2 where passport_id = any ($1) and hidden_here <> $2 returning passport_id
     )
     update protection_change set number = number + 1 where exists (select from changed)`,
    [passportIds, hidden],
  );
}

/** Whose records are to be deleted by now; with `all`, all of them. */
export const listDueAbsent = (connection: Connection, all: boolean, limit: number): Promise<number[]> =>
  queryColumn(
    connection,
    "select passport_id from mirror_absent where $1 or delete_at <= now() order by passport_id limit $2",
    [all, limit],
  );

export const countAbsent = (connection: Connection): Promise<number> =>
  queryValue(connection, "select count(*) from mirror_absent");
