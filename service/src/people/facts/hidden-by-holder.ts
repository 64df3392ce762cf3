import { type Connection, queryColumn } from "#core/database/database.ts";

/** Of these people, those that are hidden only because they asked for it with a signature. */
export function listHiddenByHolder(connection: Connection, passportIds: readonly number[]): Promise<number[]> {
  return queryColumn(
    connection,
    "select passport_id from holder_hide where passport_id = any ($1) and not by_operator",
    [passportIds],
  );
}

/** Does not change existing rows. `byOperator`: the operator had hidden these people before. */
export async function insertHolderHides(
  connection: Connection,
  passportIds: readonly number[],
  byOperator = false,
): Promise<void> {
  await connection.query(
    "insert into holder_hide (passport_id, by_operator) select unnest($1::bigint[]), $2 on conflict do nothing",
    [passportIds, byOperator],
  );
}

/** The operator hides people too who hid by signature. */
export async function updateHiddenByOperator(connection: Connection, passportIds: readonly number[]): Promise<void> {
  if (passportIds.length === 0) return;
  await connection.query("update holder_hide set by_operator = true where passport_id = any ($1)", [passportIds]);
}

export async function deleteHolderHides(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from holder_hide where passport_id = any ($1)", [passportIds]);
}

/** Of these people, those that no import may show: hidden by signature, or by an open erasure. */
export function listKeptHidden(connection: Connection, passportIds: readonly number[]): Promise<number[]> {
  return queryColumn(
    connection,
    `select passport_id from holder_hide where passport_id = any ($1)
     union
     select passport_id from holder_request where passport_id = any ($1) and completed_at is null
       and message is not null and was_hidden is not null`,
    [passportIds],
  );
}

/** After the people were shown or erased: nobody has to decide on them any more. */
export async function deleteRestoreQuestions(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from unsigned_erasure where passport_id = any ($1)", [passportIds]);
  await deleteShownAfterBackup(connection, passportIds);
}

export async function deleteShownAfterBackup(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from shown_after_backup where passport_id = any ($1)", [passportIds]);
}

export async function insertShownAfterBackup(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("insert into shown_after_backup select unnest($1::bigint[]) on conflict do nothing", [
    passportIds,
  ]);
}

/** Hidden people who were shown after the backup that was restored. */
export const listShownAfterBackup = (connection: Connection): Promise<number[]> =>
  queryColumn(connection, "select passport_id from shown_after_backup order by passport_id");

/** Forgets the last hides and shows of erased people. */
export async function deleteVisibilityChanges(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from visibility_change where passport_id = any ($1)", [passportIds]);
}

/** Stored people who asked to be erased, and whose signed request is not stored. */
export const listUnsignedIds = (connection: Connection): Promise<number[]> =>
  queryColumn(
    connection,
    "select passport_id from unsigned_erasure join passport using (passport_id) order by passport_id",
  );
