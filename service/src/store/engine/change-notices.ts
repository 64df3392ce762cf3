import type { Connection, Database } from "./database.ts";
import { type Listener, listen } from "./listen.ts";

// Invalidation notices for the caches of all nodes. Triggers on the documents and on wallet_owner
// (migration 0001) send the ids of changed people, separated by commas, or an empty payload when
// there are too many to list. The writers of the standing send "list".

const CHANNEL = "credence_people";
const LIST = "list";

/** Cached answers that are out of date: pages of the list, all, or those of these people. */
export type ChangeNotice = "list" | "all" | number[];

/** Notifies every node, on commit, that cached pages of the list are out of date. */
export async function notifyStandingChanged(connection: Connection): Promise<void> {
  await connection.query(`notify ${CHANNEL}, '${LIST}'`);
}

/** Calls `onNotice` for every change notice, and `onDisconnect` if the connection is lost. */
export function listenForNotices(
  database: Database,
  onNotice: (notice: ChangeNotice) => void,
  onDisconnect: () => void,
): Promise<Listener> {
  return listen(database, CHANNEL, (payload) => onNotice(parseNotice(payload)), onDisconnect);
}

function parseNotice(payload: string): ChangeNotice {
  if (payload === LIST) return "list";
  return payload === "" ? "all" : payload.split(",").map(Number);
}
