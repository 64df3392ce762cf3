import { setFlagsFromString } from "node:v8";
import type { Logger } from "pino";
import { destination } from "pino";
import { EXIT } from "#cli/terminal/exit-codes.ts";
import { Failure } from "#cli/terminal/failure.ts";
import type { STDERR, STDOUT } from "#cli/terminal/output.ts";
import type { Config } from "#config.ts";
import { isLoopback } from "#config-values.ts";
import { dividePools, type PoolSizes } from "#store/serving/reader.ts";
import { openReaders, type Readers } from "#store/serving/readers.ts";
import { requireSchema } from "./connect.ts";
import { createLog } from "./log.ts";

export type ServeConfig = Config & { databaseUrl: string };
export type LogTo = typeof STDOUT | typeof STDERR;

/** A look-up takes well under a millisecond: whoever waits two seconds waits for a database that is not well. */
const STATEMENT_TIMEOUT_MS = 2_000;
/** A replica's lag is measured once a second. */
const MIN_LAG_MS = 2_000;

/**
 * The engine would let what is dead lie until the heap is four times what is held: 530 MiB under load, for a hundredth of the time.
 */
const HEAP_GROWTH = "--heap-growing-percent=20";

/** What every process of a node opens: its log and its way to the database. */
export async function openServing(
  config: ServeConfig,
  logTo: LogTo,
  processes = 1,
): Promise<{ log: Logger; readers: Readers }> {
  setFlagsFromString(HEAP_GROWTH);
  // Synchronous, so that what was logged last is there when the process is gone.
  const log = createLog(config.logLevel, destination({ dest: logTo, sync: true }));
  const readers = await openReaders({
    url: config.databaseUrl,
    readUrl: config.databaseReadUrl,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    sizes: sizePools(config, processes),
    // What comes from a replica is behind already when it is cached: together, not longer than CACHE_MAX_AGE.
    maxLagMs: Math.max(MIN_LAG_MS, config.cacheMaxAgeMs / 2),
    onIdleError: (error) => log.warn({ err: error }, "a database connection was lost"),
    onSwitch: (to, why) => log.warn({ to, why }, "reading from another database"),
  });
  try {
    await requireSchema(readers.control);
  } catch (error) {
    await readers.end();
    throw error;
  }
  return { log, readers };
}

/** /metrics and /health in detail are for operators: callers must not reach them. */
export function warnOfOpenPrivatePort({ privateHost }: Config, privateAddress: string, log: Logger): void {
  if (isLoopback(privateHost)) return;
  log.warn({ privateAddress }, "PRIVATE_HOST is not a loopback address: other machines can reach the private port");
}

/** Enough for the largest pools of four processes; more processes have smaller ones. */
const CONNECTIONS = 42;

function sizePools({ databaseConnections }: ServeConfig, processes: number): PoolSizes {
  const { least } = dividePools(0, processes);
  const { sizes } = dividePools(databaseConnections ?? Math.max(CONNECTIONS, least), processes);
  if (sizes !== null) return sizes;
  throw new Failure(
    `DATABASE_CONNECTIONS is ${databaseConnections}: ${processes === 1 ? "one process needs" : `${processes} processes need`} at least ${least}.`,
    "Raise it, or run fewer processes.",
    EXIT.usage,
  );
}

export type StopSignal = "SIGTERM" | "SIGINT";

/** Waits to be asked to stop; asked a second time, in either way, the process ends at once. */
export async function nextSignal(): Promise<StopSignal> {
  const { promise, resolve } = Promise.withResolvers<StopSignal>();
  process.once("SIGTERM", () => resolve("SIGTERM"));
  process.once("SIGINT", () => resolve("SIGINT"));
  const signal = await promise;
  for (const second of ["SIGTERM", "SIGINT"] as const) process.once(second, () => process.exit(130));
  return signal;
}

/** Somebody at a keyboard waits for the prompt; a load balancer needs time to hear that we are going. */
export const drainDelayAfter = (signal: StopSignal, config: Config): number =>
  signal === "SIGTERM" ? config.drainDelayMs : 0;
