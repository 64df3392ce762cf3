import type { Connection } from "./database.ts";

/**
 * Forces index scans and nested loops in this transaction. Statistics from before an import may say
 * that a table is empty, and mislead the planner.
 */
export async function planLookUps(connection: Connection): Promise<void> {
  await connection.query(
    "set local jit = off; set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off",
  );
}
