import type { Connection } from "#store/engine/database.ts";

/** People yet to be queued: with ids above `after`, up to `up_to`, or all the rest. */
export type IdRange = { after: number; up_to: number | null };

/** Begins to queue everyone, unless that is under way. */
export async function insertRecalculationOfAll(connection: Connection): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into recalculation_of_all (after) select 0 where not exists (select from recalculation_of_all)
     on conflict do nothing`,
  );
  return rowCount === 1;
}

/** Up to where everyone has been queued; null when no recalculation of everyone is under way. */
export async function findQueuedTo(connection: Connection): Promise<number | null> {
  const { rows } = await connection.query<{ queued_to: number | null }>(
    "select min(after) as queued_to from recalculation_of_all",
  );
  return rows[0]?.queued_to ?? null;
}

/** Since when everyone is being queued. Reads the time alone, as serving may. */
export async function findBegunAt(connection: Connection): Promise<Date | null> {
  const { rows } = await connection.query<{ begun_at: Date | null }>(
    "select min(begun_at) as begun_at from recalculation_of_all",
  );
  return rows[0]?.begun_at ?? null;
}

/** A stretch that nobody else is at, a short one if there is one; nobody else gets it until the transaction ends. */
export async function claimIdRange(connection: Connection): Promise<IdRange | null> {
  const { rows } = await connection.query<IdRange>(
    "select after, up_to from recalculation_of_all order by up_to limit 1 for update skip locked",
  );
  return rows[0] ?? null;
}

/** Cuts a piece off the rest, which the caller has claimed; it is there for anybody once the transaction ends. */
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
