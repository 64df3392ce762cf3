import { type Connection, queryColumn } from "#core/database/database.ts";

/** Of these people, those whose scores are queued for recalculation: V1 shows it. */
export function listDueIds(connection: Connection, passportIds: readonly number[]): Promise<number[]> {
  return queryColumn(connection, "select passport_id from recalculation_due where passport_id = any ($1)", [
    passportIds,
  ]);
}
