import pg from "pg";
import type { Connection } from "#core/database/database.ts";

export type DemoMark = { highestId: number; comment: string | null };

/**
 * The highest passport_id of a database, 0 if it has no people or no tables, and the comment on its
 * people.
 */
export async function findDemoMark(connection: Connection): Promise<DemoMark> {
  const { rows } = await connection.query<{ comment: string | null; exists: boolean }>(
    "select to_regclass('passport') is not null as exists, obj_description(to_regclass('passport')) as comment",
  );
  const { comment, exists } = rows[0] as { comment: string | null; exists: boolean };
  if (!exists) return { highestId: 0, comment };
  const people = await connection.query<{ highest: number | null }>("select max(passport_id) as highest from passport");
  return { highestId: people.rows[0]?.highest ?? 0, comment };
}

/** Marks the people of this database as the demo's, by a comment on their table. */
export async function writeDemoMark(connection: Connection, comment: string): Promise<void> {
  await connection.query(`comment on table passport is ${pg.escapeLiteral(comment)}`);
}
