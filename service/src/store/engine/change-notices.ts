import type { Connection, Database } from "./database.ts";
import { type Listener, listen } from "./listen.ts";

// What nodes are told when something they may have cached has changed. Of people, triggers on the documents and on the owners of
// wallets tell (migration 0007): ids with commas between them, or nothing for more than can be listed. Of the list, its writers do.

const CHANNEL = "credence_people";
const LIST = "list";

export type Notice = "list" | "everyone" | number[];

/** Tells every node that pages of the list are out of date, once the transaction is committed. */
export async function notifyListChanged(connection: Connection): Promise<void> {
  await connection.query(`notify ${CHANNEL}, '${LIST}'`);
}

/** Calls `onNotice` for every change, and `onDisconnect` if the connection it listens on is lost. */
export function listenForNotices(
  database: Database,
  onNotice: (notice: Notice) => void,
  onDisconnect: () => void,
): Promise<Listener> {
  return listen(database, CHANNEL, (payload) => onNotice(readNotice(payload)), onDisconnect);
}

function readNotice(payload: string): Notice {
  if (payload === LIST) return "list";
  return payload === "" ? "everyone" : payload.split(",").map(Number);
}
