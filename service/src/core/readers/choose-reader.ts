import type { PoolClient } from "pg";
import type { Connection, Database } from "#core/database/database.ts";
import { ReplicaBehind } from "#core/database/failures.ts";
import type { QueueState } from "./bounded-pool.ts";
import { openReader, probe, type Reader, type ReaderOptions } from "./open-reader.ts";
import { createLagCheck, createLagTracker, findWalPosition } from "./replica-lag.ts";

/** Serving reads from the replica while it is within the lag limit, else from the primary. */
export type Readers = {
  current: () => Reader;
  all: readonly Reader[];
  /** The `control` pool of the current reader, for readiness, API keys and metrics. */
  control: Connection;
  primary: Reader;
  replica: Replica | null;
  queues: () => QueueState[];
  /** True if the last statement got no response from the server that is read. */
  isDoubtful: () => boolean;
  end: () => Promise<void>;
};

type Replica = {
  isUsed: () => boolean;
  maxLagMs: number;
  /** The lag found by the last check of a connection. */
  lagMs: () => number;
  /** Connections that were closed because their server exceeded the lag limit. */
  discarded: () => number;
};

export type ReadersOptions = Omit<ReaderOptions, "url" | "replicaOf" | "onIdleError"> & {
  url: string;
  readUrl: string | null;
  /** A replica with a larger lag is not read. */
  maxLagMs: number;
  /** Called when an idle connection breaks. */
  onLost: (server: "primary" | "replica", error: Error) => void;
  onSwitch: (to: "primary" | "replica", why: string) => void;
};

const CHECK_EVERY_MS = 1_000;
/** Several replicas may share an address. A lagging one must not hide a healthy one. */
const PROBES = 3;

export async function openReaders(options: ReadersOptions): Promise<Readers> {
  const onLost = (server: "primary" | "replica") => (error: Error) => options.onLost(server, error);
  const primary = openReader({ ...options, onIdleError: onLost("primary") });
  if (options.readUrl === null) {
    const { control, queues, isDoubtful, end } = primary;
    return { current: () => primary, all: [primary], control, primary, replica: null, queues, isDoubtful, end };
  }
  const tracker = createLagTracker();
  let isPrimaryUp = false;
  const { admit, check, lagMs, discarded } = createLagCheck(tracker, options.maxLagMs, () => isPrimaryUp);
  const replica = openReader({
    ...options,
    url: options.readUrl,
    onIdleError: onLost("replica"),
    replicaOf: { primary, admit },
  });

  let isReplicaUsed = false;
  const readPosition = async () => {
    const at = performance.now();
    const position = await findWalPosition(primary.control).catch(() => null);
    isPrimaryUp = position !== null;
    if (position !== null) tracker.record({ at, position });
  };
  const chooseReader = async () => {
    const failure = await findReplicaFailure(replica.pools.control, check);
    const useReplica = failure === null;
    if (useReplica !== isReplicaUsed) {
      options.onSwitch(useReplica ? "replica" : "primary", failure?.message ?? "the replica is within the lag limit");
    }
    isReplicaUsed = useReplica;
  };
  await readPosition();
  await chooseReader();
  // Apart from each other: a primary that does not respond must not delay the return to the replica.
  const stopChecks = [readPosition, chooseReader].map((check) => repeat(check, CHECK_EVERY_MS));
  const current = () => (isReplicaUsed ? replica : primary);
  const queryCurrent = (...statement: Parameters<Connection["query"]>) => current().control.query(...statement);
  return {
    current,
    all: [primary, replica],
    control: { query: queryCurrent as Connection["query"] },
    primary,
    replica: { isUsed: () => isReplicaUsed, maxLagMs: options.maxLagMs, lagMs, discarded },
    queues: () => [...primary.queues(), ...replica.queues()],
    isDoubtful: () => current().isDoubtful(),
    end: async () => {
      for (const stop of stopChecks) stop();
      await Promise.all([primary.end(), replica.end()]);
    },
  };
}

/** Repeats work, but never beside itself. Returns a function that ends it. */
function repeat(work: () => Promise<void>, everyMs: number): () => void {
  let isRunning = false;
  const timer = setInterval(async () => {
    if (isRunning) return;
    isRunning = true;
    await work();
    isRunning = false;
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Returns null if one of several probes finds a replica within the lag limit, else the failure. */
async function findReplicaFailure(
  pool: Database,
  check: (connection: PoolClient) => Promise<void>,
): Promise<Error | null> {
  let failure: Error | null = null;
  for (let attempt = 0; attempt < PROBES; attempt += 1) {
    failure = await probe(pool, check).then(
      () => null,
      (error: Error) => error,
    );
    if (!(failure instanceof ReplicaBehind)) break;
  }
  return failure;
}
