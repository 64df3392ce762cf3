import type { PoolClient, QueryConfig, QueryResult } from "pg";
import type { Connection, Database } from "#core/database/database.ts";
import { DatabaseDown, hasNoResponse, Overloaded } from "#core/database/failures.ts";
import type { Reachability } from "./reachability.ts";

/** Shared instance, as that of a full queue. */
const DATABASE_DOWN = new DatabaseDown();
/** The message of the pool if no connection became free in time: overload, unless statements get no response. */
const NONE_FREE = /^timeout exceeded/;

/** By pool: statements that may wait for a connection. coalesce.ts has another queue for look-ups. */
export const MAX_QUEUED_STATEMENTS = {
  "look-ups": 16,
  pages: 32,
  search: 16,
  control: 16,
};

export type PoolLimits = {
  /** Client-side timeout, for a server that does not respond. Must exceed statement_timeout. */
  responseTimeoutMs: number;
  /** How many statements may wait for a connection. Further statements are rejected. */
  maxQueued: number;
  /** Names the statements in the error of a rejection. */
  name: string;
  /** Called before each statement. If it rejects, the statement is not sent. */
  admit?: (connection: PoolClient) => Promise<void> | null;
  /** Of the database of this pool. */
  reachability: Omit<Reachability, "stop">;
};

/** A pool with a client-side timeout and a limited queue. */
export type BoundedPool = Connection & { rejected: () => number };

/**
 * The driver's `query_timeout` is not used: it changes each query object after construction, which
 * makes V8 allocate all rows in its old space. Measured: collecting them took a fifth of the time
 * of a look-up.
 */
export function createBoundedPool(
  pool: Database,
  { responseTimeoutMs, maxQueued, name, admit, reachability }: PoolLimits,
): BoundedPool {
  // Shared instance: capturing a stack trace per rejection is slow under overload.
  const queueFull = new Overloaded(name);
  let rejected = 0;
  const query = (text: string | QueryConfig, values?: unknown[]): Promise<QueryResult> => {
    if (reachability.isDown()) return Promise.reject(DATABASE_DOWN);
    if (pool.waitingCount >= maxQueued) {
      rejected += 1;
      return Promise.reject(queueFull);
    }
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
    pool.connect((failure, connection) => {
      if (connection === undefined) {
        if (NONE_FREE.test((failure as Error).message)) {
          if (reachability.isDoubtful()) return reject(DATABASE_DOWN);
          rejected += 1;
          return reject(queueFull);
        }
        reachability.record(!hasNoResponse(failure));
        return reject(failure);
      }
      let open = true;
      const end = (error: Error | null, result?: QueryResult) => {
        if (!open) return;
        open = false;
        clearTimeout(timer);
        connection.off("error", end);
        // Discard the connection after any error: a stale prepared statement may be the cause.
        connection.release(error ?? false);
        reachability.record(error === null || !hasNoResponse(error));
        if (error) reject(error);
        else resolve(result as QueryResult);
      };
      const timer = setTimeout(() => end(new Error("timeout: no response from the database")), responseTimeoutMs);
      connection.on("error", end);
      const send = () => {
        try {
          connection.query(text as string, values as unknown[], end);
        } catch (error) {
          end(error as Error);
        }
      };
      const admission = admit?.(connection) ?? null;
      if (admission === null) send();
      else admission.then(send, end);
    });
    return promise;
  };
  return { query: query as Connection["query"], rejected: () => rejected };
}

/**
 * The state of a queue of this process. Requests are rejected at the depth `limit`. `rejected` counts
 * since the process started.
 */
export type QueueState = { queue: string; depth: number; limit: number; rejected: number };

export type QueueCounters = { depth: () => number; limit: number; rejected: () => number };
