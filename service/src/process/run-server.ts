import { openServing, type ServeConfig } from "./open-serving.ts";
import { serveUntilSignal } from "./serve-until-signal.ts";
import { type RunningServer, startServer } from "./start-server.ts";

/** Serves until a signal. `logTo` is a file descriptor; `onReady` runs once both ports are open. */
export async function runServer(
  config: ServeConfig,
  logTo: number,
  onReady: (server: RunningServer) => void,
): Promise<void> {
  const { log, close, ...opened } = await openServing(config, logTo);
  try {
    const server = await startServer({ config, log, ...opened });
    await serveUntilSignal(server, config, log, () => onReady(server));
  } finally {
    await close().catch(() => {});
  }
}
