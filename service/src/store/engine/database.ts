import pg from "pg";
import { isUnavailable } from "./failures.ts";

export type Database = pg.Pool;
/** Whatever statements can be sent to: the pool, or the one connection of a transaction. */
export type Connection = Pick<pg.ClientBase, "query">;
/** One connection for certain, as a transaction needs. */
export type DedicatedConnection = pg.PoolClient;

export type DatabaseOptions = {
  url: string;
  /** Shown in pg_stat_activity, so that an operator sees which process holds a connection. */
  name: string;
  maxConnections: number;
  /** Connections stay open when they are not used. */
  keepConnections?: boolean;
  /** How long a statement may run; 0 for no bound. */
  statementTimeoutMs: number;
  settings?: Readonly<Record<string, string>>;
  /** A connection that breaks while nobody uses it is replaced; this is told why. */
  onIdleError?: (error: Error) => void;
};

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
    // A new connection takes longer than a hundred look-ups.
    ...(options.keepConnections && { idleTimeoutMillis: 0 }),
    ...(statementTimeoutMs > 0 && { statement_timeout: statementTimeoutMs }),
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
  });
  pool.on("error", options.onIdleError ?? (() => {}));
  // A connection can break in the moment between being made and being used; whoever uses it then hears of it.
  pool.on("connect", (connection) => connection.on("error", () => {}));
  return pool;
}

export type Isolation = "read committed" | "repeatable read, read only";

/** Runs `work` in a transaction, on a connection of its own. */
export function inTransaction<Result>(
  database: Database,
  work: (connection: Connection) => Promise<Result>,
  isolation: Isolation = "read committed",
): Promise<Result> {
  return withConnection(database, (connection) => transact(connection, work, isolation));
}

/** Lends one connection, for several transactions perhaps: temporary tables live as long as it does. */
export async function withConnection<Result>(
  database: Database,
  work: (connection: DedicatedConnection) => Promise<Result>,
): Promise<Result> {
  const client = await database.connect();
  let broken = false;
  // A connection that breaks between two statements tells nobody else.
  const onError = () => {
    broken = true;
  };
  client.on("error", onError);
  try {
    return await work(client);
  } catch (error) {
    broken ||= isUnavailable(error);
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}

/** Runs `work` within a transaction so that, if it fails, it alone is undone and the transaction can go on. */
export async function inSavepoint<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
  await connection.query("savepoint attempt");
  try {
    const result = await work();
    await connection.query("release savepoint attempt");
    return result;
  } catch (error) {
    await connection.query("rollback to savepoint attempt");
    throw error;
  }
}

/** Runs `work` in a transaction on this connection. */
export async function transact<Result>(
  connection: DedicatedConnection,
  work: (connection: Connection) => Promise<Result>,
  isolation: Isolation = "read committed",
): Promise<Result> {
  try {
    await connection.query(`begin isolation level ${isolation}`);
    const result = await work(connection);
    await connection.query("commit");
    return result;
  } catch (error) {
    // A connection that cannot even do that is of no more use; whoever lent it hears of it.
    await connection.query("rollback").catch((failure: Error) => connection.emit("error", failure));
    throw error;
  }
}
