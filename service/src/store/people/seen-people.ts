import type { Connection } from "#store/engine/database.ts";

// Who has been given in the course of one import, so that nobody is taken in twice. A temporary table and not a set in
// memory, as ids may be any numbers and people many millions.

export async function createGivenPeople(connection: Connection): Promise<void> {
  await connection.query(
    `drop table if exists pg_temp.given_person;
     create temporary table given_person (passport_id bigint primary key, file text not null, line bigint not null)`,
  );
}

export type GivenPlace = { passport_id: number; file: string; line: number };

/** Notes these people, each given once, and returns those who were noted before, with where they stood. */
export async function insertGivenPeople(connection: Connection, given: readonly GivenPlace[]): Promise<GivenPlace[]> {
  const { rows } = await connection.query<GivenPlace>({
    name: "insert-given-people",
    text: `with given as (select * from json_to_recordset($1) as given (passport_id bigint, file text, line bigint)),
     known as (select given_person.* from given_person join given using (passport_id)),
     noted as (insert into given_person select * from given on conflict do nothing)
     select * from known`,
    values: [JSON.stringify(given)],
  });
  return rows;
}
