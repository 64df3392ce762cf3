import type { Logger } from "pino";
import type { Config } from "#config.ts";
import { isLoopback } from "#config-values.ts";
import { nextSignal } from "./next-signal.ts";
import type { RunningServer } from "./start-server.ts";

/** Logs that the server is ready, waits for SIGTERM or SIGINT, and stops the server. */
export async function serveUntilSignal(
  { stop, ...addresses }: RunningServer,
  { drainDelayMs, privateHost }: Config,
  log: Logger,
  onReady: () => void,
): Promise<void> {
  // Subscribe before "serving" is logged: a supervisor may send a signal right after it.
  const signalled = nextSignal();
  log.info(addresses, "serving");
  if (!isLoopback(privateHost)) {
    const { privateAddress } = addresses;
    log.warn({ privateAddress }, "PRIVATE_HOST is not a loopback address: other machines can reach the private port");
  }
  onReady();
  const signal = await signalled;
  log.info({ signal }, "stopping");
  // SIGTERM: a load balancer needs time to see that readiness fails. SIGINT: an operator waits.
  await stop(signal === "SIGTERM" ? drainDelayMs : 0);
  log.info("stopped");
}
