import type { Connection, Database, LentConnection } from "./database.ts";

const CHANNEL = "credence_work";

/** Tells every worker that there is something to do, once the transaction is committed. */
export async function wakeWorkers(connection: Connection): Promise<void> {
  await connection.query(`notify ${CHANNEL}`);
}

export type Ear = { close: () => void };

/** Calls `onWake` whenever workers are woken, and `onDeaf` if the connection it listens on is lost. */
export async function listenForWork(database: Database, onWake: () => void, onDeaf: () => void): Promise<Ear> {
  const connection: LentConnection = await database.connect();
  let open = true;
  const close = (broken: boolean) => {
    if (!open) return;
    open = false;
    connection.off("notification", onWake);
    connection.release(broken);
  };
  connection.on("notification", onWake);
  connection.once("error", () => {
    close(true);
    onDeaf();
  });
  try {
    await connection.query(`listen ${CHANNEL}`);
  } catch (error) {
    close(true);
    throw error;
  }
  // Given back with `listen` in force, the connection would go on hearing; so it ends.
  return { close: () => close(true) };
}
