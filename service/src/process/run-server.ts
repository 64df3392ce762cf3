import {
  drainDelayAfter,
  type LogTo,
  nextSignal,
  openServing,
  type ServeConfig,
  warnOfOpenPrivatePort,
} from "./open-serving.ts";
import { type RunningServer, startServer } from "./start-server.ts";

/** Serves until a signal asks it to stop, logging to a file descriptor. `onReady` runs once both ports are open. */
export async function runServer(
  config: ServeConfig,
  logTo: LogTo,
  onReady: (server: RunningServer) => void,
): Promise<void> {
  const { log, readers } = await openServing(config, logTo);
  try {
    const server = await startServer({ config, readers, log });
    // Heard from the moment that anybody can know it is serving.
    const signalled = nextSignal();
    log.info({ address: server.address, privateAddress: server.privateAddress }, "serving");
    warnOfOpenPrivatePort(config, server.privateAddress, log);
    onReady(server);
    const signal = await signalled;
    log.info({ signal }, "stopping");
    await server.stop(drainDelayAfter(signal, config));
    log.info("stopped");
  } finally {
    await readers.end().catch(() => {});
  }
}
