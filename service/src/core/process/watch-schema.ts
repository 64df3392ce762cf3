import type { Logger } from "pino";
import type { Connection } from "#core/database/database.ts";
import { isReadOnly, isUnreachable } from "#core/database/failures.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { explain, Failure } from "#core/terminal/failure.ts";
import { requireSchema } from "./connect.ts";

export type SchemaWatch = {
  /** False until the database was reachable and its schema was found to be current. */
  isCurrent: () => boolean;
  /** Resolves when `isCurrent` becomes true, and rejects if the configuration turns out to be wrong. */
  whenCurrent: Promise<void>;
  stop: () => void;
};

const RETRY_MS = 1_000;
const LOG_EVERY_RETRIES = 10;
const CHECK_ADDRESS =
  "Check that PostgreSQL is running at the address in `DATABASE_URL`. This server tries again every second.";

/**
 * Checks servers and schema at the start of a node. Fails if they cannot be used. If the database is
 * unreachable or in recovery, returns and retries in the background: a node may start before its
 * database, or during a failover.
 */
export async function watchSchema(
  database: Connection,
  log: Logger,
  requireServers = async (): Promise<void> => {},
): Promise<SchemaWatch> {
  let isCurrent = false;
  const { promise: whenCurrent, resolve, reject } = Promise.withResolvers<void>();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let retries = 0;
  const runLater = (ms: number, run: () => void) => {
    if (!isStopped) timer = setTimeout(run, ms).unref();
  };
  const check = async () => {
    await requireServers();
    await requireSchema(database);
    isCurrent = true;
    resolve();
  };
  const retryLater = (error: unknown) => {
    if (error instanceof Failure && error.exitCode === EXIT.usage) return reject(error);
    if (retries % LOG_EVERY_RETRIES === 0) {
      const advice = isUnreachable(error) ? CHECK_ADDRESS : explain(error).advice;
      log.warn({ err: error, advice }, "not ready: waiting for the database");
    }
    retries += 1;
    runLater(RETRY_MS, () => check().then(() => log.info("ready: the database is reachable"), retryLater));
  };
  await check().catch((error) => {
    if (!isUnreachable(error) && !isReadOnly(error)) throw error;
    retryLater(error);
  });
  const stop = () => {
    isStopped = true;
    clearTimeout(timer);
  };
  return { isCurrent: () => isCurrent, whenCurrent, stop };
}
