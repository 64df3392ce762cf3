import {
  drainDelayAfter,
  type LogTo,
  nextSignal,
  openServing,
  type ServeConfig,
  warnIfPrivatePortIsOpen,
} from "./open-serving.ts";
import { type RunningServer, startServer } from "./start-server.ts";

/** Serves until a signal. `logTo` is a file descriptor; `onReady` runs once both ports are open. */
export async function runServer(
  config: ServeConfig,
  logTo: LogTo,
  onReady: (server: RunningServer) => void,
): Promise<void> {
  const { log, readers } = await openServing(config, logTo);
  try {
    const server = await startServer({ config, readers, log });
    // Subscribe before "serving" is logged: a supervisor may send a signal right after it.
    const signalled = nextSignal();
    log.info({ address: server.address, privateAddress: server.privateAddress }, "serving");
    warnIfPrivatePortIsOpen(config, server.privateAddress, log);
    onReady(server);
    const signal = await signalled;
    log.info({ signal }, "stopping");
    await server.stop(drainDelayAfter(signal, config));
    log.info("stopped");
  } finally {
    await readers.end().catch(() => {});
  }
}
