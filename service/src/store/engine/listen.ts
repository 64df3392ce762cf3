import type { QueryConfig } from "pg";
import type { Database } from "./database.ts";

export type Listener = { close: () => void };

/** A connection that never responds emits no error, so LISTEN needs a client-side timeout. */
const LISTEN_TIMEOUT_MS = 2_500;

/** Calls `onMessage` for every notification, and `onDisconnect` if the connection is lost. */
export async function listen(
  database: Database,
  channel: string,
  onMessage: (payload: string) => void,
  onDisconnect: () => void,
): Promise<Listener> {
  const connection = await database.connect();
  let open = true;
  const onNotification = ({ payload = "" }: { payload?: string | undefined }) => onMessage(payload);
  const close = () => {
    if (!open) return;
    open = false;
    connection.off("notification", onNotification);
    // Discard the connection: in the pool it would still be subscribed to the channel.
    connection.release(true);
  };
  connection.on("notification", onNotification);
  let listening = false;
  connection.once("error", () => {
    // A closed connection may still fail while it ends.
    if (!open) return;
    close();
    // Before that, the rejected promise reports the failure.
    if (listening) onDisconnect();
  });
  try {
    await connection.query({ text: `listen ${channel}`, query_timeout: LISTEN_TIMEOUT_MS } as QueryConfig);
    if (!open) throw new Error("Connection terminated");
    listening = true;
  } catch (error) {
    close();
    throw error;
  }
  return { close };
}
