import { setFlagsFromString } from "node:v8";
import { destination, type Logger } from "pino";
import type { Config } from "#core/config/config.ts";
import { DEADLINE_MS } from "#core/http/respond/deadline.ts";
import { createLog } from "#core/process/log.ts";
import { createLossLog } from "#core/process/log-failures.ts";
import { watchClock } from "#core/process/watch-clock.ts";
import { watchSchema } from "#core/process/watch-schema.ts";
import { openReaders, type Readers } from "#core/readers/choose-reader.ts";
import { dividePool, MAX_POOL_SIZES, MIN_CONNECTIONS, type PoolSizes } from "#core/readers/open-reader.ts";
import { lagLimitMs } from "#core/readers/replica-lag.ts";
import { requireServers } from "#core/readers/require-servers.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { GRACE_TOO_LONG } from "#holders/waiting-requests.ts";
import { lifeCycle } from "#life-cycle/state-and-headers.ts";
import { requireServingRights, warnOfRights } from "#rights/serve/require-serving-rights.ts";
import type { RoleRights } from "#rights/serving-rights.ts";

export type ServeConfig = Config & { databaseUrl: string };

/** What servers call their connections, in pg_stat_activity. */
export const SERVER = "credence serve";

/** A look-up takes less than a millisecond. After two seconds, the database is overloaded. */
const STATEMENT_TIMEOUT_MS = 2_000;

/**
 * By default V8 lets the heap grow to four times the live data before a full garbage collection.
 * Measured: 530 MiB under load, for 1 % less CPU time.
 */
const HEAP_GROWTH = "--heap-growing-percent=20";

export type Serving = {
  log: Logger;
  readers: Readers;
  isSchemaCurrent: () => boolean;
  whenSchemaCurrent: Promise<void>;
  close: () => Promise<void>;
};

/** Opens the log and the database readers. */
export async function openServing(config: ServeConfig, logTo: number): Promise<Serving> {
  setFlagsFromString(HEAP_GROWTH);
  // Synchronous, so that the last lines are written before the process exits.
  const log = createLog(config.logLevel, destination({ dest: logTo, sync: true }));
  const readers = await openReaders({
    url: config.databaseUrl,
    readUrl: config.databaseReadUrl,
    program: SERVER,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    maxWaitMs: DEADLINE_MS,
    sizes: sizePools(config),
    maxLagMs: lagLimitMs(config.cacheMaxAgeMs),
    onLost: createLossLog(log),
    onSwitch: (to, why) => log[to === "primary" ? "warn" : "info"]({ to, why }, "reading from another database"),
  });
  if (config.isEraseGraceTooLong) log.warn(GRACE_TOO_LONG);
  // After the sunset, every V1 response is 410: no database is needed.
  if (lifeCycle(config, Date.now()).state === "gone") {
    const schema = { isSchemaCurrent: () => true, whenSchemaCurrent: Promise.resolve() };
    return { log, readers, ...schema, close: () => readers.end() };
  }
  let rights: RoleRights | undefined;
  const requireAll = async () => {
    await requireServers(config);
    rights = await requireServingRights(readers.control, config);
  };
  try {
    const schema = await watchSchema(readers.control, log, requireAll);
    schema.whenCurrent.then(
      () => rights && !config.isDemo && warnOfRights(log, rights),
      () => {},
    );
    const clock = watchClock(log, readers.control, schema.whenCurrent);
    const close = async () => {
      clock.stop();
      schema.stop();
      await readers.end();
    };
    return { log, readers, isSchemaCurrent: schema.isCurrent, whenSchemaCurrent: schema.whenCurrent, close };
  } catch (error) {
    await readers.end();
    throw error;
  }
}

function sizePools({ databaseConnections }: ServeConfig): PoolSizes {
  if (databaseConnections === null) return MAX_POOL_SIZES;
  const sizes = dividePool(databaseConnections);
  if (sizes !== null) return sizes;
  throw new Failure(
    `DATABASE_CONNECTIONS is ${databaseConnections}: a server needs at least ${MIN_CONNECTIONS}.`,
    "Increase it.",
    EXIT.usage,
  );
}
