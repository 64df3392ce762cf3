import { type Connection, type Database, queryValue, withConnection } from "./database.ts";
import { requireVersion, WrongServer } from "./server-version.ts";

/** In a busy pooler, two sessions may get different connections by chance. */
const ATTEMPTS = 10;

/** Refuses what cannot be changed by waiting: an old version, and a pooler in transaction mode. */
export async function requireUsableServer(database: Database): Promise<void> {
  await requireVersion(database);
  await requireSessions(database);
}

/**
 * Refuses a pooler in transaction mode, in which sessions share connections of the server: prepared
 * statements, LISTEN and locks of a session would be those of another. Two sessions are needed to see
 * it; one alone gets the same connection again.
 */
async function requireSessions(database: Database): Promise<void> {
  await withConnection(database, (first) =>
    withConnection(database, async (second) => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        if (!(await shareConnections(first, second))) continue;
        throw new WrongServer(
          "This is a pooler in transaction mode: two sessions use the same connection of the server.",
          "Let `DATABASE_URL` lead to PostgreSQL itself, or to a pooler in session mode.",
        );
      }
    }),
  );
}

/** Settings of a pool whose transactions cannot write, unless they say so. */
export const READ_ONLY = { default_transaction_read_only: "on" };

async function shareConnections(first: Connection, second: Connection): Promise<boolean> {
  // With its start: sessions on two servers may have the same process id.
  const findProcess = (connection: Connection) =>
    queryValue<string>(
      connection,
      "select concat(pid, ' ', backend_start) from pg_stat_activity where pid = pg_backend_pid()",
    );
  const found = await findProcess(first);
  // A transaction keeps its connection, so another session cannot get it meanwhile.
  await second.query("begin");
  try {
    return (await findProcess(second)) === found || (await findProcess(first)) !== found;
  } finally {
    await second.query("rollback");
  }
}

/** Whether the server is a replica, or a primary that is still recovering. */
export const isInRecovery = (connection: Connection): Promise<boolean> =>
  queryValue(connection, "select pg_is_in_recovery()");
