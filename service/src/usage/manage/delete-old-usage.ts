import type { Connection } from "#core/database/database.ts";
import { MAX_LISTED_MARKS, MAX_LISTED_UNKNOWN_KEYS, TODAY } from "./usage-reports.ts";

/** Deletes usage that is older than a number of days, and values that no report of a past day lists. */
export async function deleteOldUsage(connection: Connection, days: number): Promise<void> {
  for (const table of ["usage_count", "usage_mark"]) {
    await connection.query(`delete from ${table} where day < ${TODAY} - $1::integer`, [days]);
  }
  await deleteRareMarks(connection);
}

/** Deletes all but the most frequent values of each kind, of days that no batch changes any more. */
async function deleteRareMarks(connection: Connection): Promise<void> {
  await connection.query(
    `with limits as (
       select kind, case kind when 'unknown key' then $1::integer else $2::integer end as listed
       from (select distinct kind from usage_mark) as kinds
     ), crowded as (
       -- Usually the day that has just passed, or none: all of the history is counted, but not sorted.
       select day, kind from usage_mark join limits using (kind)
       where day < ${TODAY} - 2 group by day, kind, listed having count(*) > listed
     )
     delete from usage_mark as mark
     using (
       select day, kind, value, listed,
         row_number() over (partition by day, kind order by requests desc, value) as place
       from usage_mark join crowded using (day, kind) join limits using (kind)
     ) as ranked
     where place > listed
       and mark.day = ranked.day and mark.kind = ranked.kind and mark.value = ranked.value`,
    [MAX_LISTED_UNKNOWN_KEYS, MAX_LISTED_MARKS],
  );
}
