import type { QueryConfig } from "pg";
import type { Database, DedicatedConnection } from "./database.ts";

export type Listener = { close: () => void };

/** Over a connection that is silent from the beginning, nobody would hear that it is deaf. */
const ANSWERED_WITHIN_MS = 2_500;

/** Calls `onMessage` for whatever is sent to a channel, and `onDisconnect` if the connection it listens on is lost. */
export async function listen(
  database: Database,
  channel: string,
  onMessage: (payload: string) => void,
  onDisconnect: () => void,
): Promise<Listener> {
  const connection: DedicatedConnection = await database.connect();
  let open = true;
  const hear = ({ payload = "" }: { payload?: string | undefined }) => onMessage(payload);
  const close = (broken: boolean) => {
    if (!open) return;
    open = false;
    connection.off("notification", hear);
    connection.release(broken);
  };
  connection.on("notification", hear);
  let listening = false;
  connection.once("error", () => {
    close(true);
    // Before that, the caller is told by what is thrown.
    if (listening) onDisconnect();
  });
  try {
    await connection.query({ text: `listen ${channel}`, query_timeout: ANSWERED_WITHIN_MS } as QueryConfig);
    if (!open) throw new Error("Connection terminated");
    listening = true;
  } catch (error) {
    close(true);
    throw error;
  }
  // Given back with `listen` in force, the connection would go on hearing; so it ends.
  return { close: () => close(true) };
}
