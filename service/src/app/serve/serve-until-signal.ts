import { processEnvironment } from "#core/config/config.ts";
import { isLoopback } from "#core/config/config-values.ts";
import { describeWide, findWideNetworks } from "#core/config/wide-networks.ts";
import { nextSignal } from "#core/process/next-signal.ts";
import { createNotify } from "#core/process/notify-systemd.ts";
import { describeUnknown, findUnknownVariables } from "#core/process/unknown-variables.ts";
import { logLifeCycle } from "#life-cycle/serve/log-life-cycle.ts";
import type { ServeConfig, Serving } from "./open-serving.ts";
import type { RunningServer } from "./start-server.ts";

const WITHOUT_PROXY =
  "HOST is not a loopback address, and TRUSTED_PROXIES is empty: a server needs a proxy in front that limits slow and excessive clients; see docs/reference/nginx.md";

/**
 * Reports that the server is listening, waits for SIGTERM or SIGINT, and stops the server. If the
 * configuration turns out to be wrong when the database is reachable, stops it and fails.
 */
export async function serveUntilSignal(
  { stop, ...addresses }: RunningServer,
  config: ServeConfig,
  { log, isSchemaCurrent, whenSchemaCurrent }: Pick<Serving, "log" | "isSchemaCurrent" | "whenSchemaCurrent">,
  onReady: () => void,
): Promise<void> {
  // Subscribe before "serving" is logged: a supervisor may send a signal right after it.
  const signalled = nextSignal();
  const { host, privateHost, drainDelayMs } = config;
  // For a HOST such as 0.0.0.0, the address is one that works on this machine.
  log.info(
    { ...addresses, listensOn: `${host}:${new URL(addresses.address).port}`, ready: isSchemaCurrent() },
    "serving",
  );
  for (const variable of findUnknownVariables(processEnvironment())) log.warn(describeUnknown(variable));
  const lifeCycleLog = logLifeCycle(log, config);
  if (!isLoopback(host) && config.trustedProxies.length === 0) log.warn(WITHOUT_PROXY);
  const wide = findWideNetworks(config.trustedProxies);
  if (wide.length > 0) log.warn(describeWide(wide));
  if (!isLoopback(privateHost)) {
    const { privateAddress } = addresses;
    log.warn({ privateAddress }, "PRIVATE_HOST is not a loopback address: other machines can reach the private port");
  }
  const notify = createNotify(log);
  if (!isSchemaCurrent()) notify("STATUS=Waiting for the database.");
  const failed = whenSchemaCurrent.then(() => {
    notify("READY=1", `STATUS=Serving on ${addresses.address}.`);
    return signalled;
  });
  onReady();
  const signal = await Promise.race([signalled, failed]).catch(async (error) => {
    await stop(0);
    throw error;
  });
  lifeCycleLog.stop();
  log.info({ signal }, "stopping");
  notify("STOPPING=1", "STATUS=Stopping.");
  // SIGTERM: a load balancer needs time to see that readiness fails. SIGINT: an operator waits.
  await stop(signal === "SIGTERM" ? drainDelayMs : 0);
  log.info("stopped");
}
