import type { Logger } from "pino";
import type { Config } from "#config.ts";
import { type RunningServer, startServer } from "#http/start.ts";
import { type Database, openDatabase } from "#store/database.ts";
import { requireSchema } from "./connect.ts";

/** A look-up takes well under a millisecond: whoever waits two seconds waits for a database that is not well. */
const STATEMENT_TIMEOUT_MS = 2_000;
const MAX_CONNECTIONS = 10;

/** Serves until a signal asks it to stop. `onReady` runs once both ports are open. */
export async function runServer(
  config: Config & { databaseUrl: string },
  log: Logger,
  onReady: (server: RunningServer) => void,
): Promise<void> {
  const database = openDatabase({
    url: config.databaseUrl,
    name: "credence serve",
    maxConnections: MAX_CONNECTIONS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    readOnly: true,
    onIdleError: (error) => log.warn({ err: error }, "a database connection was lost"),
  });
  try {
    await requireSchema(database);
    const server = await startServer({ config, database, log });
    onReady(server);
    const signal = await nextSignal();
    log.info({ signal }, "stopping");
    // A second signal means now.
    process.once(signal, () => process.exit(130));
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
