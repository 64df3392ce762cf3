import { type Connection, queryColumn } from "#core/database/database.ts";

// What a file of protections said about people who are not stored, or without their signature.

/** Stored people who asked to be erased, and whose signed request is not stored. */
export const listUnsignedIds = (connection: Connection): Promise<number[]> =>
  queryColumn(
    connection,
    "select passport_id from unsigned_erasure join passport using (passport_id) order by passport_id",
  );
