import type { Logger } from "pino";

/** All connections to a server break within this time when it ends. */
const GATHER_MS = 1_000;
/** Further losses within this time belong to the same event, such as a failover. */
const EVENT_MS = 30_000;

/** Logs lost connections, one line for all of a server that break in one event. */
export function createLossLog(log: Logger): (server: string, error: Error) => void {
  const lost = new Map<string, number>();
  return (server, err) => {
    const connections = (lost.get(server) ?? 0) + 1;
    lost.set(server, connections);
    if (connections > 1) return;
    setTimeout(() => {
      log.warn({ server, connections: lost.get(server), err }, "database connections were lost");
    }, GATHER_MS).unref();
    setTimeout(() => lost.delete(server), EVENT_MS).unref();
  };
}
