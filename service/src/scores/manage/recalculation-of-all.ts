import { type Connection, queryValue } from "#core/database/database.ts";

/** People still to be queued: ids above `after` up to `up_to`. Null means no upper bound. */
export type IdRange = { after: number; up_to: number | null };

/** Starts a recalculation of all people. Returns false if one is running. */
export async function insertRecalculationOfAll(connection: Connection): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into recalculation_of_all (after) select 0 where not exists (select from recalculation_of_all)
     on conflict do nothing`,
  );
  return rowCount === 1;
}

/** The id up to which people are queued; null if no recalculation of all is running. */
export function findQueuedTo(connection: Connection): Promise<number | null> {
  return queryValue(connection, "select min(after) from recalculation_of_all");
}

/** Locks a free range until the transaction ends. Ranges with an upper bound come first. */
export async function claimIdRange(connection: Connection): Promise<IdRange | null> {
  const { rows } = await connection.query<IdRange>(
    "select after, up_to from recalculation_of_all order by up_to limit 1 for update skip locked",
  );
  return rows[0] ?? null;
}

/** Splits a claimed range at `upTo`. After the commit, workers can claim both parts. */
export async function splitIdRange(connection: Connection, { after }: IdRange, upTo: number): Promise<void> {
  await connection.query("update recalculation_of_all set after = $2 where after = $1", [after, upTo]);
  await connection.query(
    `insert into recalculation_of_all (after, up_to, begun_at)
     select $1, after, begun_at from recalculation_of_all where after = $2`,
    [after, upTo],
  );
}

export async function deleteIdRange(connection: Connection, { after }: IdRange): Promise<void> {
  await connection.query("delete from recalculation_of_all where after = $1", [after]);
}
