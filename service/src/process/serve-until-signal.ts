import type { Config } from "#config.ts";
import { isLoopback } from "#config-values.ts";
import { nextSignal } from "./next-signal.ts";
import { createNotify } from "./notify-systemd.ts";
import type { Serving } from "./open-serving.ts";
import type { RunningServer } from "./start-server.ts";

/** Reports that the server is listening, waits for SIGTERM or SIGINT, and stops the server. */
export async function serveUntilSignal(
  { stop, ...addresses }: RunningServer,
  { drainDelayMs, privateHost }: Config,
  { log, isSchemaCurrent, whenSchemaCurrent }: Pick<Serving, "log" | "isSchemaCurrent" | "whenSchemaCurrent">,
  onReady: () => void,
): Promise<void> {
  // Subscribe before "serving" is logged: a supervisor may send a signal right after it.
  const signalled = nextSignal();
  log.info(addresses, "serving");
  if (!isLoopback(privateHost)) {
    const { privateAddress } = addresses;
    log.warn({ privateAddress }, "PRIVATE_HOST is not a loopback address: other machines can reach the private port");
  }
  const notify = createNotify(log);
  if (!isSchemaCurrent()) notify("STATUS=Waiting for the database.");
  whenSchemaCurrent.then(() => notify("READY=1", `STATUS=Serving on ${addresses.address}.`));
  onReady();
  const signal = await signalled;
  log.info({ signal }, "stopping");
  notify("STOPPING=1", "STATUS=Stopping.");
  // SIGTERM: a load balancer needs time to see that readiness fails. SIGINT: an operator waits.
  await stop(signal === "SIGTERM" ? drainDelayMs : 0);
  log.info("stopped");
}
