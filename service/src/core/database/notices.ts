import type { Connection, Database } from "./database.ts";
import { type Listener, listen } from "./listen.ts";

// Invalidation notices for the caches of all nodes. Triggers on the documents and on wallet_owner
// (migration 0001) send the ids of changed people, separated by commas, or an empty payload when
// there are too many to list. The writers of the standing send "list". A trigger on api_key sends
// "keys".

const PEOPLE_CHANNEL = "credence_people";
const LIST = "list";
const KEYS = "keys";

/** What is out of date: pages of the list, all answers, those of these people, or API keys. */
export type ChangeNotice = "list" | "all" | "keys" | number[];

/** Notifies every node, on commit, that cached pages of the list are out of date. */
export async function notifyStandingChanged(connection: Connection): Promise<void> {
  await connection.query(`notify ${PEOPLE_CHANNEL}, '${LIST}'`);
}

/** Calls `onNotice` for every change notice, and `onDisconnect` if the connection is lost. */
export function listenForNotices(
  database: Database,
  onNotice: (notice: ChangeNotice) => void,
  onDisconnect: (error: Error) => void,
): Promise<Listener> {
  return listen(database, PEOPLE_CHANNEL, (payload) => onNotice(parseNotice(payload)), onDisconnect);
}

function parseNotice(payload: string): ChangeNotice {
  if (payload === LIST) return "list";
  if (payload === KEYS) return "keys";
  return payload === "" ? "all" : payload.split(",").map(Number);
}

const WORK_CHANNEL = "credence_work";

/** Notifies every worker, on commit, that there is work. */
export async function wakeWorkers(connection: Connection): Promise<void> {
  await connection.query(`notify ${WORK_CHANNEL}`);
}

/** Calls `onWake` for every notification, and `onDisconnect` if the connection is lost. */
export function listenForWork(database: Database, onWake: () => void, onDisconnect: () => void): Promise<Listener> {
  return listen(database, WORK_CHANNEL, onWake, onDisconnect);
}
