import type { QueryConfig, QueryResult } from "pg";
import { type Connection, type Database, withConnection } from "./database.ts";

/**
 * Statements over the pool, each on whatever connection is free; one that says nothing for so long is given up, as the server's own
 * time-out cannot be heard over it. The driver could do that too, but for it it changes every query after making it, whereupon the
 * engine puts all rows among what will last: collecting them again took a fifth of the time of a look-up.
 */
export function boundedBy(silentAfterMs: number, database: Database): Connection {
  const query = (text: string | QueryConfig, values?: unknown[]): Promise<QueryResult> =>
    withConnection(database, (connection) => {
      const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
      const silence = setTimeout(() => reject(new Error("timeout: the database says nothing")), silentAfterMs);
      connection.query(text as string, values as unknown[], (error, result) => {
        clearTimeout(silence);
        if (error) reject(error);
        else resolve(result);
      });
      return promise;
    });
  return { query: query as Connection["query"] };
}
