import type { QueryConfig, QueryResult } from "pg";
import type { Connection, Database } from "./database.ts";

/**
 * Statements over the pool, each on whatever connection is free. A connection that says nothing for so long is given up, as the
 * server's own time-out cannot be heard over it. The driver could do that too, but to do so it changes every query after making it,
 * whereupon the engine puts all rows among what will last: collecting them again took a fifth of the time of a look-up.
 */
export function boundedBy(silentAfterMs: number, database: Database): Connection {
  const query = (text: string | QueryConfig, values?: unknown[]): Promise<QueryResult> => {
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
    database.connect((failure, connection) => {
      if (connection === undefined) return reject(failure);
      let open = true;
      const end = (error: Error | null, result?: QueryResult) => {
        if (!open) return;
        open = false;
        clearTimeout(silence);
        connection.off("error", end);
        // With any failure it ends: what the server has prepared for it may be what is wrong.
        connection.release(error ?? false);
        if (error) reject(error);
        else resolve(result as QueryResult);
      };
      const silence = setTimeout(() => end(new Error("timeout: the database says nothing")), silentAfterMs);
      connection.on("error", end);
      try {
        connection.query(text as string, values as unknown[], end);
      } catch (error) {
        end(error as Error);
      }
    });
    return promise;
  };
  return { query: query as Connection["query"] };
}
