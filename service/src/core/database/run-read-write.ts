import type { QueryConfig, QueryResultRow } from "pg";
import type { Database } from "./database.ts";

/** For a server that does not respond. */
const RESPONSE_TIMEOUT_MS = 2_500;

/**
 * Runs one statement in a read-write transaction: connections of a serving node are read-only by
 * default. After a failure, whether it was committed is unknown.
 */
export async function runReadWrite<Row extends QueryResultRow>(
  database: Database,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const connection = await database.connect();
  const run = (text: string, values: unknown[] = []) =>
    connection.query<Row>({ text, values, query_timeout: RESPONSE_TIMEOUT_MS } as QueryConfig);
  try {
    await run("begin read write");
    const { rows } = await run(text, values);
    await run("commit");
    connection.release();
    return rows;
  } catch (error) {
    // Discard the connection: its transaction may still be open.
    connection.release(true);
    throw error;
  }
}
