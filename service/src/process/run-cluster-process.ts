import { provideMetrics } from "#http/metrics/node-metrics.ts";
import { startPublic } from "#http/start-public.ts";
import { openServing, type ServeConfig } from "./open-serving.ts";
import type { StopMessage } from "./run-cluster.ts";

/** A worker process of a cluster: serves V1 until the primary sends a stop message or exits. */
export async function runClusterWorker(config: ServeConfig, workers: number, logTo: number): Promise<void> {
  // Ctrl-C signals all processes at once: ignore it here, the primary sends a stop message.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => {});
  // Subscribe first: the message can arrive while a replacement is still starting.
  const stopping = nextStop();
  let close: (() => Promise<void>) | null = null;
  try {
    const opened = await openServing(config, logTo, workers);
    close = opened.close;
    const server = await startPublic({ config, ...opened, processes: workers });
    provideMetrics(server.registry);
    const { stopAfterMs } = await stopping;
    await server.stop(stopAfterMs);
  } finally {
    await close?.().catch(() => {});
    // Without this, the channel to the primary keeps the process alive.
    process.disconnect();
  }
}

function nextStop(): Promise<StopMessage> {
  const { promise, resolve } = Promise.withResolvers<StopMessage>();
  process.on("message", (message: Partial<StopMessage> | null) => {
    if (message?.stopAfterMs !== undefined) resolve({ stopAfterMs: message.stopAfterMs });
  });
  return promise;
}
