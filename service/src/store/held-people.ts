import pg from "pg";
import type { Connection } from "./database.ts";

/** Whether a database, migrated or not, holds any people, and the note that was left on them. */
export async function findHeldPeople(connection: Connection): Promise<{ any: boolean; note: string | null }> {
  const { rows } = await connection.query<{ note: string | null; there: boolean }>(
    "select to_regclass('passport') is not null as there, obj_description(to_regclass('passport')) as note",
  );
  const { note, there } = rows[0] as { note: string | null; there: boolean };
  if (!there) return { any: false, note };
  const { rowCount } = await connection.query("select from passport limit 1");
  return { any: rowCount === 1, note };
}

/** Leaves a note on the people of this database, as a comment on their table. */
export async function notePeople(connection: Connection, note: string): Promise<void> {
  await connection.query(`comment on table passport is ${pg.escapeLiteral(note)}`);
}
