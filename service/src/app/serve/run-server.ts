import type { DemoWallet } from "#holders/proof/create-wallet.ts";
import { createUsageCounter } from "#usage/serve/usage-counter.ts";
import { openUsageWriter } from "#usage/serve/write-usage.ts";
import { openServing, type ServeConfig } from "./open-serving.ts";
import { serveUntilSignal } from "./serve-until-signal.ts";
import { type RunningServer, startServer } from "./start-server.ts";

/** Serves until a signal. `logTo` is a file descriptor; `onReady` runs once both ports are open. */
export async function runServer(
  config: ServeConfig,
  logTo: number,
  onReady: (server: RunningServer) => void,
  demoWallet: DemoWallet | null = null,
): Promise<void> {
  const { close, ...opened } = await openServing(config, logTo);
  const usage = createUsageCounter();
  const writer = openUsageWriter({ url: config.databaseUrl, log: opened.log, config, take: usage.take });
  try {
    const server = await startServer({ config, ...opened, usage, usageState: writer.state, demoWallet });
    const stop = async (drainDelayMs: number) => {
      await server.stop(drainDelayMs);
      await writer.close();
    };
    await serveUntilSignal({ ...server, stop }, config, opened, () => onReady(server));
  } finally {
    await writer.close();
    await close().catch(() => {});
  }
}
