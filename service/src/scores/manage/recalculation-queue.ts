import { type Connection, queryColumn, queryValue } from "#core/database/database.ts";

/** Queues stored people and returns the newly queued ids. Ordered by id, to avoid deadlocks. */
export function insertDue(connection: Connection, passportIds: readonly number[]): Promise<number[]> {
  return queryColumn(
    connection,
    `insert into recalculation_due (passport_id)
     select passport_id from passport where passport_id = any ($1) order by passport_id
     on conflict do nothing
     returning passport_id`,
    [passportIds],
  );
}

/**
 * Removes the people who have waited longest from the queue. A rollback puts them back. Skips
 * people that another worker is claiming. Uses the index recalculation_due_order.
 */
export async function claimDue(connection: Connection, limit: number): Promise<number[]> {
  const ids = await queryColumn<number>(
    connection,
    `with claimed as materialized (
       select passport_id from recalculation_due order by due_at, passport_id limit $1 for update skip locked
     )
     delete from recalculation_due using claimed where recalculation_due.passport_id = claimed.passport_id
     returning recalculation_due.passport_id`,
    [limit],
  );
  return ids.sort((a, b) => a - b);
}

/** Whether at least `minimum` people are due. Counts no further. */
export function hasDue(connection: Connection, minimum: number): Promise<boolean> {
  return queryValue(connection, "select count(*) >= $1 from (select from recalculation_due limit $1) as due", [
    minimum,
  ]);
}

export async function upsertSetAside(connection: Connection, passportId: number, reason: string): Promise<void> {
  await connection.query(
    `insert into recalculation_set_aside (passport_id, reason) values ($1, $2)
     on conflict (passport_id) do update set set_aside_at = now(), reason = excluded.reason`,
    [passportId, reason],
  );
}

export async function deleteSetAside(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from recalculation_set_aside where passport_id = any ($1)", [passportIds]);
}

/** Deletes people from the queue and from the people set aside. */
export async function deleteRecalculations(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from recalculation_due where passport_id = any ($1)", [passportIds]);
  await deleteSetAside(connection, passportIds);
}

export function findSetAside(connection: Connection, passportId: number): Promise<string | null> {
  return queryValue(connection, "select reason from recalculation_set_aside where passport_id = $1", [passportId]);
}

export type SetAside = { passport_id: number; set_aside_at: Date; reason: string };

/** Ordered by id. */
export async function listSetAsideAfter(connection: Connection, after: number, limit: number): Promise<SetAside[]> {
  const { rows } = await connection.query<SetAside>(
    `select passport_id, set_aside_at, reason from recalculation_set_aside
     where passport_id > $1 order by passport_id limit $2`,
    [after, limit],
  );
  return rows;
}
