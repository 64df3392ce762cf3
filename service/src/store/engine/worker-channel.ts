import type { Connection, Database } from "./database.ts";
import { type Listener, listen } from "./listen.ts";

const CHANNEL = "credence_work";

/** Notifies every worker, on commit, that there is work. */
export async function wakeWorkers(connection: Connection): Promise<void> {
  await connection.query(`notify ${CHANNEL}`);
}

/** Calls `onWake` for every notification, and `onDisconnect` if the connection is lost. */
export function listenForWork(database: Database, onWake: () => void, onDisconnect: () => void): Promise<Listener> {
  return listen(database, CHANNEL, onWake, onDisconnect);
}
