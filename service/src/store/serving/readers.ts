import type { PoolClient, QueryConfig } from "pg";
import { type Connection, type Database, withConnection } from "#store/engine/database.ts";
import { ReplicaBehind } from "#store/engine/failures.ts";
import type { QueueState } from "./queue-state.ts";
import { openReader, type Reader, type ReaderOptions } from "./reader.ts";
import { createLagClock, findReplayedPosition, findWalPosition, type LagClock } from "./replica-lag.ts";

/** Where serving reads: the primary, or its replicas while they are well and not far behind. */
export type Readers = {
  current: () => Reader;
  /** For readiness, keys and metrics: read from the same place. */
  control: Connection;
  primary: Reader;
  replica: Replica | null;
  queues: () => QueueState[];
  end: () => Promise<void>;
};

type Replica = {
  isUsed: () => boolean;
  /** What is read is never further behind the primary than this. */
  maxLagMs: number;
  /** How far behind the replica was that was looked at last. */
  lagMs: () => number;
  /** Connections that were closed because their server was too far behind. */
  discarded: () => number;
};

export type ReadersOptions = Omit<ReaderOptions, "url" | "replicaOf"> & {
  url: string;
  readUrl: string | null;
  /** A replica that is further behind is not read. */
  maxLagMs: number;
  onSwitch: (to: "primary" | "replica", why: string) => void;
};

const LOOK_EVERY_MS = 1_000;
const ANSWERED_WITHIN_MS = 2_000;
/** Several replicas may share an address: one that is behind must not hide one that is not. */
const PROBES = 3;

export async function openReaders(options: ReadersOptions): Promise<Readers> {
  const primary = openReader(options);
  if (options.readUrl === null) {
    return {
      current: () => primary,
      control: primary.control,
      primary,
      replica: null,
      queues: primary.queues,
      end: () => primary.end(),
    };
  }
  const clock = createLagClock();
  let isPrimaryUp = false;
  const watch = watchConnections(clock, options.maxLagMs, () => isPrimaryUp);
  const replica = openReader({ ...options, url: options.readUrl, replicaOf: { primary, admit: watch.admit } });

  let used = false;
  const decide = (use: boolean, why: string) => {
    if (use !== used) options.onSwitch(use ? "replica" : "primary", why);
    used = use;
  };
  const look = async () => {
    const at = performance.now();
    const written = await findWalPosition(primary.control).catch(() => null);
    // Without the primary there is nothing to be behind of, and nothing else to read.
    isPrimaryUp = written !== null;
    if (written !== null) clock.note({ at, written });
    const failure = await probe(replica.pools.control, watch.check);
    decide(failure === null, failure?.message ?? "it is not behind");
  };
  let looking = false;
  const lookOnce = async () => {
    if (looking) return;
    looking = true;
    await look();
    looking = false;
  };
  await lookOnce();
  const timer = setInterval(lookOnce, LOOK_EVERY_MS);
  timer.unref();
  const current = () => (used ? replica : primary);
  return {
    current,
    control: { query: ((...given: Parameters<Connection["query"]>) => current().control.query(...given)) as Query },
    primary,
    replica: { isUsed: () => used, maxLagMs: options.maxLagMs, lagMs: watch.lagMs, discarded: watch.discarded },
    queues: () => [...primary.queues(), ...replica.queues()],
    end: async () => {
      clearInterval(timer);
      await Promise.all([primary.end(), replica.end()]);
    },
  };
}

type Query = Connection["query"];

/** Null if one of a few tries is answered by a replica that is not behind; else what went wrong last. */
async function probe(pool: Database, check: (connection: PoolClient) => Promise<void>): Promise<Error | null> {
  let failure: Error | null = null;
  for (let tries = 0; tries < PROBES; tries += 1) {
    failure = await withConnection(pool, async (connection) => {
      await connection.query({ text: "select 1", query_timeout: ANSWERED_WITHIN_MS } as QueryConfig);
      await check(connection);
    }).then(
      () => null,
      (error: Error) => error,
    );
    if (!(failure instanceof ReplicaBehind)) break;
  }
  return failure;
}

/**
 * Knows of every connection how old the state is that its server has replayed. Several replicas may stand behind one address, so no
 * connection says anything about another. One that was up to date at a moment can be read until that moment is `maxLagMs` ago, even if
 * its server has stopped replaying since; then it is asked again.
 */
function watchConnections(clock: LagClock, maxLagMs: number, isPrimaryUp: () => boolean) {
  const heldAt = new WeakMap<PoolClient, number>();
  let checkedHeldAt: number | null = null;
  let discarded = 0;
  const isFresh = (at: number | null | undefined): at is number =>
    at !== null && at !== undefined && performance.now() - at <= maxLagMs;
  const check = async (connection: PoolClient) => {
    const at = clock.heldAt(await findReplayedPosition(connection));
    checkedHeldAt = at ?? checkedHeldAt;
    if (!isFresh(at)) {
      if (!isPrimaryUp()) return;
      discarded += 1;
      throw new ReplicaBehind();
    }
    heldAt.set(connection, at);
  };
  return {
    admit: (connection: PoolClient) => (isFresh(heldAt.get(connection)) ? null : check(connection)),
    check,
    lagMs: () => (checkedHeldAt === null ? Number.POSITIVE_INFINITY : Math.max(0, performance.now() - checkedHeldAt)),
    discarded: () => discarded,
  };
}
