import { type Connection, queryValue } from "#store/engine/database.ts";

export type PeopleCounts = { stored: number; hidden: number; merged: number; opted_out: number };

/** Null if this role may not read facts. One scan of passport. */
export async function countPeople(connection: Connection): Promise<PeopleCounts | null> {
  const mayRead = "has_table_privilege('passport', 'select') and has_table_privilege('opt_out', 'select')";
  if (!(await queryValue<boolean>(connection, `select ${mayRead}`))) return null;
  const { rows } = await connection.query<PeopleCounts>(
    `select count(*) as stored, count(*) filter (where hidden) as hidden,
       count(*) filter (where merged or merged_into is not null) as merged, (select count(*) from opt_out) as opted_out
     from passport`,
  );
  return rows[0] ?? null;
}
