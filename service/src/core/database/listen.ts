import type { QueryConfig } from "pg";
import type { Database } from "./database.ts";

export type Listener = { close: () => void };

/** A connection that never responds emits no error, so LISTEN needs a client-side timeout. */
const LISTEN_TIMEOUT_MS = 2_500;

/** How often the connection is tested, and how long its response may take, in ticks. */
const TICK_MS = 500;
const MAX_TICKS = 10;

/**
 * Calls `onMessage` for every notification, and `onDisconnect` if the connection is lost. A connection
 * that broke without a word, as behind a firewall, is noticed by a heartbeat after ten seconds.
 */
export async function listen(
  database: Database,
  channel: string,
  onMessage: (payload: string) => void,
  onDisconnect: (error: Error) => void,
): Promise<Listener> {
  const connection = await database.connect();
  let open = true;
  let heartbeat: NodeJS.Timeout | undefined;
  const onNotification = ({ payload = "" }: { payload?: string | undefined }) => onMessage(payload);
  const close = () => {
    if (!open) return;
    open = false;
    clearInterval(heartbeat);
    connection.off("notification", onNotification);
    // Discard the connection: in the pool it would still be subscribed to the channel.
    connection.release(true);
  };
  connection.on("notification", onNotification);
  const lose = (error: Error) => {
    // A closed connection may still fail while it ends.
    if (!open) return;
    close();
    // Before that, the rejected promise reports the failure.
    if (heartbeat !== undefined) onDisconnect(error);
  };
  connection.once("error", lose);
  const subscribe = { text: `listen ${channel}` };
  try {
    await connection.query({ ...subscribe, query_timeout: LISTEN_TIMEOUT_MS } as QueryConfig);
    if (!open) throw new Error("Connection terminated");
  } catch (error) {
    close();
    throw error;
  }
  heartbeat = startHeartbeat(() => connection.query(subscribe), lose);
  return { close };
}

/** Ticks of this process are counted, not seconds: a late event loop is no lost connection. */
export function startHeartbeat(send: () => Promise<unknown>, lose: (error: Error) => void): NodeJS.Timeout {
  let ticks = 0;
  let isWaiting = false;
  const tick = () => {
    ticks += 1;
    if (ticks < MAX_TICKS) return;
    ticks = 0;
    if (isWaiting) {
      lose(new Error("The connection for notices does not respond."));
      return;
    }
    isWaiting = true;
    send().then(() => {
      isWaiting = false;
      ticks = 0;
    }, lose);
  };
  return setInterval(tick, TICK_MS).unref();
}
