import type { Connection } from "#core/database/database.ts";
import { listHiddenByHolder } from "#people/facts/hidden-by-holder.ts";
import { listAbsent } from "#people/facts/mirror-absent.ts";
import { listHiddenIds } from "#people/facts/passports.ts";

// Hides of people who are not stored. They wait for an import: from a file of protections, or of people
// whose record is deleted although nobody asked to erase it.

export type PendingHide = { passport_id: number; hidden_at: Date | string; by_holder: boolean; by_operator: boolean };

export async function insertPendingHides(connection: Connection, hides: readonly PendingHide[]): Promise<void> {
  await connection.query(
    `insert into kept_hide as kept (passport_id, hidden_at, by_holder, by_operator)
     select passport_id, hidden_at, by_holder, by_operator
     from json_to_recordset($1) as file (passport_id bigint, hidden_at timestamptz, by_holder boolean, by_operator boolean)
     on conflict (passport_id) do update set hidden_at = greatest(kept.hidden_at, excluded.hidden_at),
       by_holder = kept.by_holder or excluded.by_holder, by_operator = kept.by_operator or excluded.by_operator`,
    [JSON.stringify(hides)],
  );
}

/**
 * Before these records are deleted: who is hidden stays hidden after coming back. Not who is hidden only
 * because the publisher of this mirror does not show them.
 */
export async function keepHides(connection: Connection, passportIds: readonly number[]): Promise<void> {
  const absent = await listAbsent(connection, passportIds);
  const others = absent.filter(({ hidden_here }) => !hidden_here).map(({ passport_id }) => passport_id);
  const hidden = new Set(await listHiddenIds(connection, passportIds)).difference(new Set(others));
  if (hidden.size === 0) return;
  const byHolder = new Set(await listHiddenByHolder(connection, [...hidden]));
  const hidden_at = new Date();
  const hides = [...hidden].map((passport_id) => {
    const by_holder = byHolder.has(passport_id);
    return { passport_id, hidden_at, by_holder, by_operator: !by_holder };
  });
  await insertPendingHides(connection, hides);
}

/** Of these people, those that an import hides when they arrive. */
export async function listPendingHides(connection: Connection, passportIds: readonly number[]): Promise<PendingHide[]> {
  const { rows } = await connection.query<PendingHide>(
    "select passport_id, hidden_at, by_holder, by_operator from kept_hide where passport_id = any ($1)",
    [passportIds],
  );
  return rows;
}

export async function deletePendingHides(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from kept_hide where passport_id = any ($1)", [passportIds]);
}
