import pg from "pg";
import { type Connection, queryValue } from "#core/database/database.ts";

/** The comment on the table of people in the database of a demo. */
const DEMO_NOTE = "Invented people, loaded by credence demo.";

export type DemoMark = { highestId: number; isDemo: boolean };

/** True if the demo has loaded the people of this database. Needs no right to read them. */
export async function isDemoDatabase(connection: Connection): Promise<boolean> {
  const comment = await queryValue<string | null>(connection, "select obj_description(to_regclass('person'))");
  return comment === DEMO_NOTE;
}

/** The highest passport_id of a database, 0 if it has no people or no tables, and whose people it has. */
export async function findDemoMark(connection: Connection): Promise<DemoMark> {
  const isDemo = await isDemoDatabase(connection);
  if (!(await queryValue<boolean>(connection, "select to_regclass('person') is not null")))
    return { highestId: 0, isDemo };
  const highestId = await queryValue<number | null>(connection, "select max(passport_id) from person");
  return { highestId: highestId ?? 0, isDemo };
}

export async function writeDemoMark(connection: Connection): Promise<void> {
  await connection.query(`comment on table person is ${pg.escapeLiteral(DEMO_NOTE)}`);
}
