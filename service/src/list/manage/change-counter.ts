import { type Connection, queryValue } from "#core/database/database.ts";

/**
 * Counts this transaction as a change of people. Transactions that share the lock of people do this
 * last: it locks a row.
 */
export async function countPeopleChange(connection: Connection): Promise<void> {
  await connection.query(
    `update people_change set number = number + 1,
       unlisted_since = case
         when number = (select people_change from standing_epoch order by epoch desc limit 1) then clock_timestamp()
         else unlisted_since
       end`,
  );
}

/** The number of committed changes of people. A later statement sees all of them. */
export async function findPeopleChange(connection: Connection): Promise<number> {
  return (await queryValue<number>(connection, "select number from people_change")) ?? 0;
}
