import { type Connection, type Database, openDatabase } from "#store/engine/database.ts";
import { isTimeout, isUnavailable, Overloaded } from "#store/engine/failures.ts";
import { type BoundedOptions, createBoundedPool } from "./bounded.ts";
import { createGate, type Gate } from "./gate.ts";
import { LOOK_UP_SETTINGS, type LookUps, openLookUps } from "./look-ups.ts";
import type { QueueState } from "./queue-state.ts";

/** How serving reads one database: by small pools, one for each purpose, so that none can hold up another. */
export type Reader = Record<Exclude<PoolName, "look-ups">, Connection> & {
  lookUps: LookUps;
  connections: Readonly<Record<PoolName, Connection>>;
  /** Pages and searches take several statements: they are admitted as a whole. */
  gates: Readonly<Record<"pages" | "search", Gate>>;
  pools: Readonly<Record<PoolName, Database>>;
  queues: () => QueueState[];
  end: () => Promise<void>;
};
/** `control` is for readiness, keys, notices and metrics: a flood of requests must not delay them. */
type PoolName = "look-ups" | "pages" | "search" | "control";

/** How many connections each pool may open. */
export type PoolSizes = Readonly<Record<PoolName, number>>;

export type ReaderOptions = {
  url: string;
  /** A look-up takes well under a millisecond: one that takes this long is held up by a database that is not well. */
  statementTimeoutMs: number;
  sizes: PoolSizes;
  onIdleError: (error: Error) => void;
  /** For a replica: which of its connections may be read, and where to read when it cannot answer. */
  replicaOf?: { primary: Reader; admit: NonNullable<BoundedOptions["admit"]> };
};

/**
 * More connections than twice the cores of a small server make all of them slower. Searches take turns: two at once slowed down
 * everybody's look-ups. One connection of `control` listens for notices.
 */
export const MAX_POOL_SIZES: PoolSizes = { "look-ups": 3, pages: 4, search: 1, control: 2 };
const MIN_POOL_SIZES: PoolSizes = { "look-ups": 1, pages: 1, search: 1, control: 2 };

const sum = (sizes: PoolSizes): number => Object.values(sizes).reduce((total, size) => total + size, 0);

/** Divides a node's connections among its processes. The first of several opens the `control` pool only. Null if there are too few. */
export function dividePools(total: number, processes: number): { sizes: PoolSizes | null; least: number } {
  const own = processes > 1 ? MIN_POOL_SIZES.control : 0;
  const least = own + processes * sum(MIN_POOL_SIZES);
  if (total < least) return { sizes: null, least };
  const sizes = { ...MIN_POOL_SIZES };
  for (let spare = Math.floor((total - own) / processes) - sum(sizes); spare > 0; ) {
    const next = (["look-ups", "pages"] as const).filter((name) => sizes[name] < MAX_POOL_SIZES[name]);
    if (next.length === 0) break;
    for (const name of next.slice(0, spare)) sizes[name] += 1;
    spare -= next.length;
  }
  return { sizes, least };
}

/** How many statements may wait for a connection. Look-ups are gathered before they wait: see coalesce.ts. */
const MOST_WAITING: Readonly<Record<PoolName, number>> = { "look-ups": 16, pages: 32, search: 16, control: 16 };

export function openReader({ url, statementTimeoutMs, sizes, onIdleError, replicaOf }: ReaderOptions): Reader {
  const open = (name: PoolName, settings: Readonly<Record<string, string>> = {}) => {
    const pool = openDatabase({
      url,
      name: `credence serve: ${name}`,
      maxConnections: sizes[name],
      keepConnections: true,
      statementTimeoutMs,
      settings: { default_transaction_read_only: "on", ...settings },
      onIdleError,
    });
    const limits = { silentAfterMs: statementTimeoutMs + 500, maxWaiting: MOST_WAITING[name], name };
    const bounded = createBoundedPool({ ...limits, ...(replicaOf && { admit: replicaOf.admit }) }, pool);
    return { pool, bounded, connection: replicaOf ? orElse(bounded, replicaOf.primary.connections[name]) : bounded };
  };
  const opened = {
    "look-ups": open("look-ups", LOOK_UP_SETTINGS),
    pages: open("pages"),
    search: open("search"),
    control: open("control"),
  };
  const each = <Value>(of: (one: ReturnType<typeof open>) => Value): Record<PoolName, Value> => ({
    "look-ups": of(opened["look-ups"]),
    pages: of(opened.pages),
    search: of(opened.search),
    control: of(opened.control),
  });
  const connections = each(({ connection }) => connection);
  const lookUps = openLookUps(connections["look-ups"]);
  // Each job has one statement at a time, so these are admitted before as many wait as may.
  const gates = {
    pages: createGate("pages", sizes.pages + MOST_WAITING.pages),
    search: createGate("searches", sizes.search + MOST_WAITING.search),
  };
  const stateOf = (name: PoolName): QueueState => ({
    queue: name,
    depth: opened[name].pool.waitingCount,
    bound: MOST_WAITING[name],
    refused: opened[name].bounded.refused() + (name === "pages" || name === "search" ? gates[name].refused() : 0),
  });
  return {
    lookUps,
    ...connections,
    connections,
    gates,
    pools: each(({ pool }) => pool),
    queues: () => [...(Object.keys(opened) as PoolName[]).map(stateOf), lookUps.queue()],
    end: async () => {
      await Promise.all(Object.values(opened).map(({ pool }) => pool.end()));
    },
  };
}

/** Asks elsewhere what a replica cannot answer: because it is too far behind, or not there. */
function orElse(replica: Connection, primary: Connection): Connection {
  const query = (...given: Parameters<Connection["query"]>) =>
    (replica.query(...given) as unknown as Promise<unknown>).catch((error: unknown) => {
      // A statement that takes too long there would here, too.
      if (error instanceof Overloaded || isTimeout(error) || !isUnavailable(error)) throw error;
      return primary.query(...given);
    });
  return { query: query as unknown as Connection["query"] };
}
