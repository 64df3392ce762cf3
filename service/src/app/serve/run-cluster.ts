import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { createBuckets } from "#core/http/limits/bucket-store.ts";
import { createSharedTotals } from "#core/http/limits/shared-totals.ts";
import { Failure } from "#core/terminal/failure.ts";
import type { Usage } from "#usage/serve/usage-counter.ts";
import { openUsageWriter } from "#usage/serve/write-usage.ts";
import type { Phase } from "./deps.ts";
import { readinessOf } from "./health.ts";
import { aggregateMetrics } from "./node-metrics.ts";
import { openServing, type ServeConfig } from "./open-serving.ts";
import { startPrivate } from "./private-app.ts";
import { serveUntilSignal } from "./serve-until-signal.ts";
import { collectLimits } from "./share-limits.ts";

const RESTART_DELAY_MS = 1_000;
/** How long the last message of a worker process may take to arrive after its exit. */
const LAST_MESSAGE_MS = 2_000;

/** Sent by the primary to each worker process. */
export type StopMessage = { stopAfterMs: number };

/** Sent by each worker process to the primary. */
export type UsageMessage = { usage: Usage };

/**
 * Runs a node of several processes. This one, the primary, opens the private port and replaces
 * worker processes that die; the workers share the public port.
 */
export async function runCluster(
  config: ServeConfig,
  workers: number,
  logTo: number,
  onReady: (server: { address: string }) => void,
): Promise<void> {
  const { close, ...opened } = await openServing(config, logTo, workers);
  const { log, readers, isSchemaCurrent } = opened;
  let phase: Phase = "serving";
  const totals = createSharedTotals(createBuckets(process.pid));
  cluster.on("fork", (worker) => collectLimits(worker, totals));
  const writer = openUsageWriter({ url: config.databaseUrl, log, config });
  const findReadiness = readinessOf({ config, readers, isSchemaCurrent, phase: () => phase });
  const isReady = async () => (await findReadiness()).ready;
  const readMetrics = aggregateMetrics({ config, readers, isReady, usage: writer.state });
  cluster.on("message", (_worker, message: Partial<UsageMessage> | null) => {
    if (message?.usage !== undefined) writer.add(message.usage);
  });
  try {
    const address = await forkAll(workers, log, () => phase === "serving");
    const privatePort = await startPrivate({ config, readers, log, isSchemaCurrent, phase: () => phase, readMetrics });
    const stop = async (drainDelayMs: number) => {
      phase = "draining";
      await stopAll({ stopAfterMs: drainDelayMs });
      await writer.close();
      await privatePort.close();
    };
    const server = { address, privateAddress: privatePort.address, workers, stop };
    await serveUntilSignal(server, config, opened, () => onReady({ address }));
  } finally {
    // After a failed start, worker processes may be left.
    phase = "closing";
    for (const worker of listWorkers()) worker.process.kill("SIGKILL");
    await writer.close();
    await close().catch(() => {});
  }
}

/** Starts the worker processes. Returns their shared address once all of them listen. */
async function forkAll(workers: number, log: Logger, isServing: () => boolean): Promise<string> {
  let started = false;
  const replace = async (death: Record<string, unknown>) => {
    if (!started || !isServing()) return;
    log.error(death, "a worker process died; starting a replacement");
    await delay(RESTART_DELAY_MS);
    if (isServing()) fork();
  };
  const fork = () => {
    const worker = cluster.fork();
    // A process that cannot be started, for example because Node is being replaced, does not exit.
    return worker.on("error", (error) => worker.process.pid === undefined && replace({ err: error }));
  };
  cluster.on("exit", ({ process: { pid } }, code, signal) => replace({ pid, code, signal }));
  const forked = Array.from({ length: workers }, fork);
  const [address] = await Promise.all(forked.map(whenListening));
  started = true;
  return address as string;
}

const listWorkers = (): Worker[] =>
  Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined && !worker.isDead()) as Worker[];

async function whenListening(worker: Worker): Promise<string> {
  const died = once(worker, "exit").then(() => {
    throw new Failure("A worker process exited before it listened.", "See the lines above for the cause.");
  });
  const [{ address, port }] = (await Promise.race([once(worker, "listening"), died])) as [
    { address: string; port: number },
  ];
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

async function stopAll(message: StopMessage): Promise<void> {
  const workers = listWorkers();
  const stopped = workers.map(whenStopped);
  // Sending to a process that is exiting fails, which is fine.
  for (const worker of workers) worker.send(message, () => {});
  await Promise.all(stopped);
}

/**
 * A worker process may exit before its last message is read, but disconnects after it. It never
 * disconnects if it exited while a new connection was being handed to it.
 */
async function whenStopped(worker: Worker): Promise<void> {
  // Not `once` of node:events, which fails on an error: a message to a process that exits is one.
  const when = (event: "exit" | "disconnect") => new Promise((resolve) => worker.once(event, resolve));
  const disconnected = worker.isConnected() ? when("disconnect") : null;
  await when("exit");
  await Promise.race([disconnected, delay(LAST_MESSAGE_MS, undefined, { ref: false })]);
}
