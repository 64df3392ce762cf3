import pg from "pg";

export type Database = pg.Pool;
/** Whatever statements can be sent to: the pool, or the one connection of a transaction. */
export type Connection = Pick<pg.ClientBase, "query">;

export type DatabaseOptions = {
  url: string;
  /** Shown in pg_stat_activity, so that an operator sees which process holds a connection. */
  name: string;
  maxConnections: number;
  /** How long a statement may run; 0 for no bound. */
  statementTimeoutMs: number;
  settings?: Readonly<Record<string, string>>;
  /** A connection that breaks while nobody uses it is replaced; this is told why. */
  onIdleError?: (error: Error) => void;
};

/**
 * How serving connects. Memory, because the bitmap of a common letter outgrows the default with a million people, and then
 * every row of the list is checked one by one.
 */
export const SERVE_SETTINGS = { default_transaction_read_only: "on", work_mem: "64MB" };

const INT8 = 20;
const types: pg.CustomTypesConfig = {
  // Every bigint in the schema is checked to fit a JavaScript number.
  getTypeParser: ((oid: number, format?: "text") =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export function openDatabase(options: DatabaseOptions): Database {
  const { statementTimeoutMs, settings = {} } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.name,
    max: options.maxConnections,
    types,
    connectionTimeoutMillis: 2_000,
    keepAlive: true,
    ...(statementTimeoutMs > 0 && {
      statement_timeout: statementTimeoutMs,
      // The server's own time-out cannot be heard over a connection that has gone silent.
      query_timeout: statementTimeoutMs + 500,
    }),
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
  });
  pool.on("error", options.onIdleError ?? (() => {}));
  return pool;
}

export async function inTransaction<Result>(
  database: Database,
  work: (connection: Connection) => Promise<Result>,
  mode: "read committed" | "repeatable read, read only" = "read committed",
): Promise<Result> {
  const client = await database.connect();
  let broken: Error | undefined;
  try {
    await client.query(`begin isolation level ${mode}`);
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
