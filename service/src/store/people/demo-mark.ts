import pg from "pg";
import type { Connection } from "#store/engine/database.ts";

export type HeldPeople = { highestId: number; note: string | null };

/** The highest passport_id in a database, migrated or not, 0 when it holds nobody; and the note that was left on its people. */
export async function findHeldPeople(connection: Connection): Promise<HeldPeople> {
  const { rows } = await connection.query<{ note: string | null; there: boolean }>(
    "select to_regclass('passport') is not null as there, obj_description(to_regclass('passport')) as note",
  );
  const { note, there } = rows[0] as { note: string | null; there: boolean };
  if (!there) return { highestId: 0, note };
  const held = await connection.query<{ highest: number | null }>("select max(passport_id) as highest from passport");
  return { highestId: held.rows[0]?.highest ?? 0, note };
}

/** Leaves a note on the people of this database, as a comment on their table. */
export async function notePeople(connection: Connection, note: string): Promise<void> {
  await connection.query(`comment on table passport is ${pg.escapeLiteral(note)}`);
}
