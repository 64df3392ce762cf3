import type { Connection } from "#core/database/database.ts";

// The ids that one import has seen so far, to find duplicates. A temporary table instead of a set
// in memory, as there may be many millions.

export async function createSeenPeople(connection: Connection): Promise<void> {
  // Also in a dry run, whose other transactions can only read. They can write to temporary tables.
  await connection.query(
    `begin read write;
     drop table if exists pg_temp.seen_person;
     create temporary table seen_person (passport_id bigint primary key, file text not null, line bigint not null);
     commit`,
  );
}

export type SeenPlace = { passport_id: number; file: string; line: number };

/** Adds people and where they are. Returns those that were seen before, with their first place. */
export async function insertSeenPeople(connection: Connection, places: readonly SeenPlace[]): Promise<SeenPlace[]> {
  const { rows } = await connection.query<SeenPlace>({
    name: "insert-seen-people",
    text: `with input as (select * from json_to_recordset($1) as input (passport_id bigint, file text, line bigint)),
     seen as (select seen_person.* from seen_person join input using (passport_id)),
     inserted as (insert into seen_person select * from input on conflict do nothing)
     select * from seen`,
    values: [JSON.stringify(places)],
  });
  return rows;
}
