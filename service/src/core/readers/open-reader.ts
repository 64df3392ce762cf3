import type { PoolClient, QueryConfig } from "pg";
import { type Connection, type Database, openDatabase, withConnection } from "#core/database/database.ts";
import { isTimeout, isUnavailable, Overloaded } from "#core/database/failures.ts";
import { createBoundedPool, MAX_QUEUED_STATEMENTS, type PoolLimits, type QueueState } from "./bounded-pool.ts";
import { createFairQueue, type FairQueue, MAX_WAITING_JOBS } from "./fair-queue.ts";
import { watchReachability } from "./reachability.ts";

/** The pools of one database. Each purpose has its own, so that none can starve another. */
export type Reader = Record<PoolName, Connection> & {
  connections: Readonly<Record<PoolName, Connection>>;
  /** Pages and searches take several statements, so they are admitted as a whole. */
  fairQueues: Readonly<Record<"pages" | "search", FairQueue>>;
  pools: Readonly<Record<PoolName, Database>>;
  queues: () => QueueState[];
  /** True if the last statement got no response from the server. */
  isDoubtful: () => boolean;
  end: () => Promise<void>;
};

/** `control` is for readiness, API keys, change notices and metrics, also during overload. */
type PoolName = keyof typeof MAX_QUEUED_STATEMENTS;
const POOL_NAMES = Object.keys(MAX_QUEUED_STATEMENTS) as PoolName[];

/** The maximum number of connections of each pool. */
export type PoolSizes = Readonly<Record<PoolName, number>>;

export type ReaderOptions = {
  url: string;
  /** What connections are called in pg_stat_activity, with the name of their pool. */
  program: string;
  /** A look-up takes well under 1 ms: a timeout means that the database is unhealthy. */
  statementTimeoutMs: number;
  sizes: PoolSizes;
  /** How long a page or a search may wait for its turn. */
  maxWaitMs: number;
  onIdleError: (error: Error) => void;
  /** Set for a replica: the lag check of a connection, and the fallback. */
  replicaOf?: { primary: Reader; admit: NonNullable<PoolLimits["admit"]> };
};

/**
 * More connections than twice the cores of a small server make all of them slower. One search runs
 * at a time: two slowed down all look-ups. One connection of `control` listens for change notices.
 */
export const MAX_POOL_SIZES: PoolSizes = { "look-ups": 3, pages: 4, search: 1, control: 2 };
const MIN_POOL_SIZES: PoolSizes = { "look-ups": 1, pages: 1, search: 1, control: 2 };

export const MIN_CONNECTIONS = Object.values(MIN_POOL_SIZES).reduce((total, size) => total + size, 0);

/** Pools with `total` connections at most, null if that is below the minimum. */
export function dividePool(total: number): PoolSizes | null {
  if (total < MIN_CONNECTIONS) return null;
  const sizes = { ...MIN_POOL_SIZES };
  for (let spare = total - MIN_CONNECTIONS; spare > 0; ) {
    const next = (["look-ups", "pages"] as const).filter((name) => sizes[name] < MAX_POOL_SIZES[name]);
    if (next.length === 0) break;
    for (const name of next.slice(0, spare)) sizes[name] += 1;
    spare -= next.length;
  }
  return sizes;
}

/**
 * Without just-in-time compilation: every statement reads few rows. With ten million people the estimate
 * of a search exceeds `jit_above_cost`, and compiling it took 15 of 20 ms.
 */
const SERVING_SETTINGS = { default_transaction_read_only: "on", jit: "off" };

/** Forces index scans: statistics from before an import may say that a table is empty. */
const LOOK_UP_SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
};

const byPool = <Value>(create: (name: PoolName) => Value) =>
  Object.fromEntries(POOL_NAMES.map((name) => [name, create(name)])) as Record<PoolName, Value>;

export function openReader({
  url,
  program,
  statementTimeoutMs,
  sizes,
  maxWaitMs,
  onIdleError,
  replicaOf,
}: ReaderOptions): Reader {
  const pools = byPool((name) =>
    openDatabase({
      url,
      name: `${program}: ${name}`,
      maxConnections: sizes[name],
      keepIdleConnections: true,
      statementTimeoutMs,
      settings: { ...SERVING_SETTINGS, ...(name === "look-ups" && LOOK_UP_SETTINGS) },
      onIdleError,
    }),
  );
  const reachability = watchReachability(() => probe(pools.control));
  const bounded = byPool((name) =>
    createBoundedPool(pools[name], {
      reachability,
      responseTimeoutMs: statementTimeoutMs + 500,
      maxQueued: MAX_QUEUED_STATEMENTS[name],
      name,
      ...(replicaOf && { admit: replicaOf.admit }),
    }),
  );
  const connections: Record<PoolName, Connection> = replicaOf
    ? byPool((name) => withFallback(bounded[name], replicaOf.primary.connections[name]))
    : bounded;
  // A job runs one statement at a time, so no admitted job finds the queue of its pool full.
  const fairQueues = {
    pages: createFairQueue("pages", { maxRunning: sizes.pages, maxWaiting: MAX_WAITING_JOBS, maxWaitMs }),
    search: createFairQueue("searches", { maxRunning: sizes.search, maxWaiting: MAX_WAITING_JOBS, maxWaitMs }),
  };
  const stateOf = (name: PoolName): QueueState => {
    const fairQueue = name === "pages" || name === "search" ? fairQueues[name] : null;
    return {
      queue: name,
      depth: pools[name].waitingCount + (fairQueue?.waiting() ?? 0),
      limit: fairQueue === null ? MAX_QUEUED_STATEMENTS[name] : MAX_WAITING_JOBS.total,
      rejected: bounded[name].rejected() + (fairQueue?.rejected() ?? 0),
    };
  };
  return {
    ...connections,
    connections,
    fairQueues,
    pools,
    queues: () => POOL_NAMES.map(stateOf),
    isDoubtful: reachability.isDoubtful,
    end: async () => {
      reachability.stop();
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
    },
  };
}

const PROBE_TIMEOUT_MS = 2_000;

/** Resolves if the server responds to a statement. */
export function probe(pool: Database, check = async (_: PoolClient): Promise<void> => {}): Promise<void> {
  return withConnection(pool, async (connection) => {
    await connection.query({ text: "select 1", query_timeout: PROBE_TIMEOUT_MS } as QueryConfig);
    await check(connection);
  });
}

/** Retries a statement on the primary if the replica lags too far behind or is unreachable. */
function withFallback(replica: Connection, primary: Connection): Connection {
  const query = (...statement: Parameters<Connection["query"]>) =>
    (replica.query(...statement) as unknown as Promise<unknown>).catch((error: unknown) => {
      // Overload and slow statements must not move to the primary.
      if (error instanceof Overloaded || isTimeout(error) || !isUnavailable(error)) throw error;
      return primary.query(...statement);
    });
  return { query: query as unknown as Connection["query"] };
}
