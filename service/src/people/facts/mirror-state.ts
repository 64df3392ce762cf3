import { type Connection, queryValue } from "#core/database/database.ts";

/** Deletes what only a mirror stores about these people. */
export async function deleteMirrorState(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from unowned_wallet where passport_id = any ($1)", [passportIds]);
  await connection.query("delete from mirror_absent where passport_id = any ($1)", [passportIds]);
}

/** Whether this server shows whom a publisher shows, and nobody else. */
export const isMirror = (connection: Connection): Promise<boolean> =>
  queryValue(connection, "select exists (select from mirror_of where taken_over_at is null)");
