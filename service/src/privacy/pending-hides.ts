import type { Connection } from "#core/database/database.ts";

// Hides of people who are not stored, from a file of protections. They wait for an import.

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
