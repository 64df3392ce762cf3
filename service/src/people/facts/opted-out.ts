import { type Connection, queryValue } from "#core/database/database.ts";

export function findOptedOutAt(connection: Connection, passportId: number): Promise<Date | null> {
  return queryValue(connection, "select opted_out_at from opt_out where passport_id = $1::numeric", [passportId]);
}
