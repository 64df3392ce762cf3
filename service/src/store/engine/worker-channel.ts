import type { Connection, Database } from "./database.ts";
import { type Listener, listen } from "./listen.ts";

const CHANNEL = "credence_work";

/** Tells every worker that there is something to do, once the transaction is committed. */
export async function wakeWorkers(connection: Connection): Promise<void> {
  await connection.query(`notify ${CHANNEL}`);
}

/** Calls `onWake` whenever workers are woken, and `onDisconnect` if the connection it listens on is lost. */
export function listenForWork(database: Database, onWake: () => void, onDisconnect: () => void): Promise<Listener> {
  return listen(database, CHANNEL, onWake, onDisconnect);
}
