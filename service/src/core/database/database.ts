import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { isUnavailable, ReplicaInsteadOfPrimary } from "./failures.ts";
import { sessionSettings, setSession } from "./session-settings.ts";
import { requireTrustedSchema } from "./trusted-schema.ts";

/** SQL that formats a timestamp as V1 does, in UTC regardless of the session's time zone. */
export const formattedTimestamp = (column: string): string =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`;

export type Database = pg.Pool;
/** Runs statements: a pool, or the connection of a transaction. */
export type Connection = Pick<pg.ClientBase, "query">;
/** A single connection, checked out of a pool, as a transaction needs. */
export type DedicatedConnection = pg.PoolClient;

/** Returns the first column of all rows. */
export async function queryColumn<Value>(
  connection: Connection,
  text: string,
  values: unknown[] = [],
): Promise<Value[]> {
  const { rows } = await connection.query<[Value]>({ text, values, rowMode: "array" });
  return rows.map(([value]) => value);
}

/** Returns the first column of the first row. `Value` must include null if there may be no row. */
export async function queryValue<Value>(connection: Connection, text: string, values?: unknown[]): Promise<Value> {
  const [value = null] = await queryColumn<Value | null>(connection, text, values);
  return value as Value;
}

export type DatabaseOptions = {
  url: string;
  /** The application_name in pg_stat_activity. */
  name: string;
  maxConnections: number;
  /** Never close idle connections. */
  keepIdleConnections?: boolean;
  /** For a statement, and for a connection to become free. 0: no limit for statements. */
  statementTimeoutMs: number;
  settings?: Readonly<Record<string, string>>;
  /** Of a role that owns the tables: see `UntrustedSchema`. Checked again on a new connection each minute. */
  requireTrustedSchema?: boolean;
  /** Called when an idle connection breaks. The pool replaces it. */
  onIdleError?: (error: Error) => void;
};

/** Of commands and workers. They prefer a late connection to a failure. */
const CONNECT_TIMEOUT_MS = 10_000;

const TRUST_SECONDS = 60;

const INT8 = 20;
const TIMES = [pg.types.builtins.TIMESTAMPTZ, pg.types.builtins.TIMESTAMP, pg.types.builtins.DATE] as number[];
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text") => {
    // Check constraints keep every bigint of the schema within the safe integers.
    if (oid === INT8) return Number;
    const parse = pg.types.getTypeParser(oid, format);
    return TIMES.includes(oid) ? orThrow(parse) : parse;
  }) as typeof pg.types.getTypeParser,
};

/** The driver returns null for a time that it does not understand: a revoked key would be valid. */
const orThrow = (parse: (text: string) => unknown) => (text: string) => {
  const time = parse(text);
  if (time === null) throw new Error("The database sent a time in another form than ISO 8601.");
  return time;
};

export function openDatabase(options: DatabaseOptions): Database {
  const { statementTimeoutMs } = options;
  const timeout = statementTimeoutMs > 0 ? { statement_timeout: String(statementTimeoutMs) } : {};
  const settings = sessionSettings({ ...timeout, ...options.settings });
  // Longer than a statement, so that a server that does not respond is noticed by the statements first.
  const connectTimeoutMs = statementTimeoutMs > 0 ? statementTimeoutMs + 1_000 : CONNECT_TIMEOUT_MS;
  const prepare = async (client: pg.PoolClient) => {
    if (options.requireTrustedSchema) await requireTrustedSchema(client);
    await setSession(client, settings, connectTimeoutMs);
  };
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.name,
    max: options.maxConnections,
    types,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // Opening a connection takes longer than a hundred look-ups.
    ...(options.keepIdleConnections && { idleTimeoutMillis: 0 }),
    ...(options.requireTrustedSchema && { maxLifetimeSeconds: TRUST_SECONDS }),
    // Before the first use of a connection, and not with its start: a pooler may refuse or drop that.
    verify: (client, done) => void prepare(client).then(() => done(), done),
  });
  pool.on("error", options.onIdleError ?? (() => {}));
  // Without a listener, a connection that breaks before its first use would end the process.
  pool.on("connect", (connection) => connection.on("error", () => {}));
  return pool;
}

export type Isolation = "read committed" | "read committed, read only" | "repeatable read, read only";

/** After a failover, the address of the primary may lead to a replica for some seconds. */
const WAIT_FOR_PRIMARY_MS = 15_000;
const RETRY_MS = 500;

/**
 * Runs `work` in a transaction on a connection of the pool. If the server is a replica, waits for the
 * primary before `work` starts.
 */
export async function inTransaction<Result>(
  database: Database,
  work: (connection: Connection) => Promise<Result>,
  isolation: Isolation = "read committed",
): Promise<Result> {
  const until = performance.now() + WAIT_FOR_PRIMARY_MS;
  for (;;) {
    try {
      return await withConnection(database, (connection) => transact(connection, work, isolation));
    } catch (error) {
      if (!(error instanceof ReplicaInsteadOfPrimary) || performance.now() > until) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** Runs `work` with a connection of the pool, for several transactions or temporary tables. */
export async function withConnection<Result>(
  database: Database,
  work: (connection: DedicatedConnection) => Promise<Result>,
): Promise<Result> {
  const client = await database.connect();
  let broken = false;
  // A connection that breaks between two statements reports it only by this event.
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

/** Runs `work` in a savepoint of the current transaction: a failure rolls back `work` only. */
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
    await begin(connection, isolation);
    const result = await work(connection);
    await connection.query("commit");
    return result;
  } catch (error) {
    // A failed rollback: the event makes `withConnection` discard the connection.
    await connection.query("rollback").catch((failure: Error) => connection.emit("error", failure));
    throw error;
  }
}

/** Begins a transaction. One that may write needs the primary, which is checked in the same round trip. */
async function begin(connection: Connection, isolation: Isolation): Promise<void> {
  if (isolation !== "read committed") {
    await connection.query(`begin isolation level ${isolation}`);
    return;
  }
  const results = (await connection.query(
    "begin isolation level read committed; select pg_is_in_recovery() as replica",
  )) as unknown as pg.QueryResult<{ replica: boolean }>[];
  if (results[1]?.rows[0]?.replica) throw new ReplicaInsteadOfPrimary();
}

/**
 * Forces index scans and nested loops in this transaction. Statistics from before an import may say
 * that a table is empty, and mislead the planner.
 */
export async function planLookUps(connection: Connection): Promise<void> {
  await connection.query(
    "set local jit = off; set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off",
  );
}
