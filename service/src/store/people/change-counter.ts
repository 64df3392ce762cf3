import type { Connection } from "#store/engine/database.ts";

/** Notes that this transaction changes people. The last thing that those who share the lock of people do, as the next of them waits here. */
export async function countPeopleChange(connection: Connection): Promise<void> {
  await connection.query("update people_change set number = number + 1");
}

/** How many transactions that changed people are committed: all of them are visible to a later statement. */
export async function findPeopleChange(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ number: number }>("select number from people_change");
  return rows[0]?.number ?? 0;
}
