import { type Connection, queryColumn } from "#core/database/database.ts";
import { codeOf, UNDEFINED_TABLE } from "#core/database/failures.ts";
import { epochTables } from "#list/epochs.ts";

/** Tables whose rows an erasure deletes or changes, but for those of the list's versions. */
export const TABLES_OF_PEOPLE = [
  "person",
  "person_wallet",
  "passport_document",
  "credential_document",
  "wallet_owner",
  "holder_request",
] as const;

/** Renews the planner's statistics, which contain common and extreme values of columns, also of deleted rows. */
export async function analyzePeople(connection: Connection): Promise<void> {
  const epochs = await queryColumn<number>(connection, "select epoch from standing_epoch");
  for (const table of TABLES_OF_PEOPLE) await connection.query(`analyze ${table}`);
  for (const epoch of epochs) {
    await connection.query(`analyze ${epochTables(epoch).join(", ")}`).catch((error) => {
      // The epoch was dropped in the meantime, together with its statistics.
      if (codeOf(error) !== UNDEFINED_TABLE) throw error;
    });
  }
}
