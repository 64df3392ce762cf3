import type { Logger } from "pino";
import type { Connection } from "#store/engine/database.ts";
import { isUnreachable } from "#store/engine/failures.ts";
import { requireSchema } from "./connect.ts";

export type SchemaWatch = {
  /** False until the database was reachable and its schema was found to be current. */
  isCurrent: () => boolean;
  /** Resolves when `isCurrent` becomes true. */
  whenCurrent: Promise<void>;
  stop: () => void;
};

const RETRY_MS = 1_000;
const LOG_EVERY_RETRIES = 10;

/**
 * Checks the schema at the start of a server. Fails if it is too old. If the database is
 * unreachable, returns and retries in the background: a server may start before its database.
 */
export async function watchSchema(database: Connection, log: Logger): Promise<SchemaWatch> {
  let isCurrent = false;
  const { promise: whenCurrent, resolve } = Promise.withResolvers<void>();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let retries = 0;
  const check = async () => {
    await requireSchema(database);
    isCurrent = true;
    resolve();
  };
  const retryLater = (error: unknown) => {
    if (isStopped) return;
    if (retries % LOG_EVERY_RETRIES === 0) log.warn({ err: error }, "not ready: waiting for the database");
    retries += 1;
    timer = setTimeout(() => check().then(() => log.info("the database is reachable"), retryLater), RETRY_MS);
    timer.unref();
  };
  await check().catch((error) => {
    if (!isUnreachable(error)) throw error;
    retryLater(error);
  });
  const stop = () => {
    isStopped = true;
    clearTimeout(timer);
  };
  return { isCurrent: () => isCurrent, whenCurrent, stop };
}
