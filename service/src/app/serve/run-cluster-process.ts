import { createUsageCounter, type Usage } from "#usage/serve/usage-counter.ts";
import { SEND_EVERY_MS } from "#usage/serve/write-usage.ts";
import { provideMetrics } from "./node-metrics.ts";
import { openServing, type ServeConfig } from "./open-serving.ts";
import type { StopMessage, UsageMessage } from "./run-cluster.ts";
import { shareLimits } from "./share-limits.ts";
import { startPublic } from "./start-public.ts";

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
    const usage = createUsageCounter();
    const server = await startPublic({ config, ...opened, usage, processes: workers });
    provideMetrics(server.registry);
    shareLimits(server.limiter);
    const sending = setInterval(() => sendUsage(usage.take()), SEND_EVERY_MS);
    const { stopAfterMs } = await stopping;
    await server.stop(stopAfterMs);
    clearInterval(sending);
    await sendUsage(usage.take());
  } finally {
    await close?.().catch(() => {});
  }
}

/** Sends counts to the primary process, which writes those of all processes. */
function sendUsage(usage: Usage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const message: UsageMessage = { usage };
  const isEmpty = usage.counts.length === 0 && usage.marks.length === 0 && usage.lost === 0;
  if (isEmpty || !process.connected) resolve();
  else process.send?.(message, undefined, undefined, () => resolve());
  return promise;
}

function nextStop(): Promise<StopMessage> {
  const { promise, resolve } = Promise.withResolvers<StopMessage>();
  process.on("message", (message: Partial<StopMessage> | null) => {
    if (message?.stopAfterMs !== undefined) resolve({ stopAfterMs: message.stopAfterMs });
  });
  return promise;
}
