import type { Connection } from "./database.ts";

/** Lets the statements of this transaction go by index, a row at a time. */
export async function planLookUps(connection: Connection): Promise<void> {
  await connection.query(
    "set local jit = off; set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off",
  );
}
