import { provideMetrics } from "#http/metrics/node-metrics.ts";
import { startPublic } from "#http/start-public.ts";
import type { Readers } from "#store/serving/readers.ts";
import { type LogTo, openServing, type ServeConfig } from "./open-serving.ts";
import type { StopMessage } from "./run-cluster.ts";

/** One of several processes of a node: answers V1 until the first one says stop, or is gone. */
export async function runClusterWorker(config: ServeConfig, workers: number, logTo: LogTo): Promise<void> {
  // A keyboard signals all processes at once; it is the first one that decides.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => {});
  // Heard from the beginning: it may come while this one is still starting in place of another.
  const stopping = nextStop();
  let readers: Readers | null = null;
  try {
    const opened = await openServing(config, logTo, workers);
    readers = opened.readers;
    const server = await startPublic({ config, ...opened, processes: workers });
    provideMetrics(server.registry);
    const { stopAfterMs } = await stopping;
    await server.stop(stopAfterMs);
  } finally {
    await readers?.end().catch(() => {});
    // The first process holds on to this one until then, however it ends.
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
