import { destination } from "pino";
import type { Config } from "#config.ts";
import { createLog } from "#http/log.ts";
import { type RunningServer, startServer } from "#http/start.ts";
import { type Database, openDatabase, SERVE_SETTINGS } from "#store/database.ts";
import { requireSchema } from "./connect.ts";
import type { STDERR, STDOUT } from "./output.ts";

/** A look-up takes well under a millisecond: whoever waits two seconds waits for a database that is not well. */
const STATEMENT_TIMEOUT_MS = 2_000;
const MAX_CONNECTIONS = 10;

/** Serves until a signal asks it to stop, logging to a file descriptor. `onReady` runs once both ports are open. */
export async function runServer(
  config: Config & { databaseUrl: string },
  logTo: typeof STDOUT | typeof STDERR,
  onReady: (server: RunningServer) => void,
): Promise<void> {
  // Synchronous, so that what was logged last is there when the process is gone.
  const log = createLog(config.logLevel, destination({ dest: logTo, sync: true }));
  const database = openDatabase({
    url: config.databaseUrl,
    name: "credence serve",
    maxConnections: MAX_CONNECTIONS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    settings: SERVE_SETTINGS,
    onIdleError: (error) => log.warn({ err: error }, "a database connection was lost"),
  });
  try {
    await requireSchema(database);
    const server = await startServer({ config, database, log });
    log.info({ address: server.address, privateAddress: server.privateAddress }, "serving");
    onReady(server);
    const signal = await nextSignal();
    log.info({ signal }, "stopping");
    // A second signal, of either kind, means now.
    for (const second of ["SIGTERM", "SIGINT"] as const) process.once(second, () => process.exit(130));
    // Somebody at a keyboard waits for the prompt; a load balancer needs time to hear that we are going.
    await server.stop(signal === "SIGTERM" ? config.drainDelayMs : 0);
    log.info("stopped");
  } finally {
    await endQuietly(database);
  }
}

function nextSignal(): Promise<"SIGTERM" | "SIGINT"> {
  const { promise, resolve } = Promise.withResolvers<"SIGTERM" | "SIGINT">();
  process.once("SIGTERM", () => resolve("SIGTERM"));
  process.once("SIGINT", () => resolve("SIGINT"));
  return promise;
}

async function endQuietly(database: Database): Promise<void> {
  await database.end().catch(() => {});
}
