import type { PoolClient, QueryConfig, QueryResult } from "pg";
import type { Connection, Database } from "#store/engine/database.ts";
import { Overloaded } from "#store/engine/failures.ts";

export type BoundedOptions = {
  /** A connection that says nothing for so long is given up: the server's own time-out cannot be heard over it. */
  silentAfterMs: number;
  /** How many statements may wait for a connection; more are refused at once. */
  maxWaiting: number;
  /** What the statements are for, in the message of a refusal. */
  name: string;
  /** Called with the connection before each statement; a statement goes ahead only if it resolves. */
  admit?: (connection: PoolClient) => Promise<void> | null;
};

/** Statements over a pool, each on whichever connection is free, and how many had to be refused. */
export type Bounded = Connection & { refused: () => number };

/**
 * Bounds every statement of serving: how long it may take, and how many may wait. The driver's own `query_timeout` changes each query
 * object after making it, which keeps all rows in V8's old space: collecting them again took a fifth of the time of a look-up.
 */
export function createBoundedPool(
  { silentAfterMs, maxWaiting, name, admit }: BoundedOptions,
  database: Database,
): Bounded {
  // Shared instance: capturing a stack trace per refusal is slow under overload.
  const tooMany = new Overloaded(name);
  let refused = 0;
  const query = (text: string | QueryConfig, values?: unknown[]): Promise<QueryResult> => {
    if (database.waitingCount >= maxWaiting) {
      refused += 1;
      return Promise.reject(tooMany);
    }
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
    database.connect((failure, connection) => {
      if (connection === undefined) return reject(failure);
      let open = true;
      const end = (error: Error | null, result?: QueryResult) => {
        if (!open) return;
        open = false;
        clearTimeout(silence);
        connection.off("error", end);
        // After any failure the connection ends: what the server has prepared for it may be what is wrong.
        connection.release(error ?? false);
        if (error) reject(error);
        else resolve(result as QueryResult);
      };
      const silence = setTimeout(() => end(new Error("timeout: the database says nothing")), silentAfterMs);
      connection.on("error", end);
      const send = () => {
        try {
          connection.query(text as string, values as unknown[], end);
        } catch (error) {
          end(error as Error);
        }
      };
      const admitted = admit?.(connection) ?? null;
      if (admitted === null) send();
      else admitted.then(send, end);
    });
    return promise;
  };
  return { query: query as Connection["query"], refused: () => refused };
}
