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

/** Counts a change after which V1 shows less: somebody was hidden or erased, or lost a wallet. */
export async function countRemoval(connection: Connection): Promise<void> {
  await connection.query("update people_change set removals = removals + 1");
}

export type ChangeCounters = { people_change: number; removals: number };

export async function findChangeCounters(connection: Connection): Promise<ChangeCounters> {
  const { rows } = await connection.query<ChangeCounters>(
    "select number as people_change, removals from people_change",
  );
  return rows[0] as ChangeCounters;
}
