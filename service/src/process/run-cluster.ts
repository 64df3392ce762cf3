import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { Failure } from "#cli/terminal/failure.ts";
import type { Phase } from "#http/deps.ts";
import { aggregateMetrics } from "#http/metrics/node-metrics.ts";
import { startPrivate } from "#http/start-private.ts";
import { openServing, type ServeConfig } from "./open-serving.ts";
import { serveUntilSignal } from "./serve-until-signal.ts";

const RESTART_DELAY_MS = 1_000;

/** Sent by the primary to each worker process. */
export type StopMessage = { stopAfterMs: number };

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
  const { log, readers, isSchemaCurrent, close } = await openServing(config, logTo, workers);
  let phase: Phase = "serving";
  const readMetrics = aggregateMetrics(readers);
  try {
    const address = await forkAll(workers, log, () => phase === "serving");
    const privatePort = await startPrivate({ config, readers, log, isSchemaCurrent, phase: () => phase, readMetrics });
    const stop = async (drainDelayMs: number) => {
      phase = "draining";
      await stopAll({ stopAfterMs: drainDelayMs });
      await privatePort.close();
    };
    const server = { address, privateAddress: privatePort.address, workers, stop };
    await serveUntilSignal(server, config, log, () => onReady({ address }));
  } finally {
    // After a failed start, worker processes may be left.
    phase = "closing";
    for (const worker of listWorkers()) worker.process.kill("SIGKILL");
    await close().catch(() => {});
  }
}

/** Starts the worker processes. Returns their shared address once all of them listen. */
async function forkAll(workers: number, log: Logger, isServing: () => boolean): Promise<string> {
  let started = false;
  cluster.on("exit", async ({ process: { pid } }, code, signal) => {
    if (!started || !isServing()) return;
    log.error({ pid, code, signal }, "a worker process died; starting a replacement");
    await delay(RESTART_DELAY_MS);
    if (isServing()) cluster.fork();
  });
  const forked = Array.from({ length: workers }, () => cluster.fork());
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
  const exits = workers.map((worker) => new Promise((resolve) => worker.once("exit", resolve)));
  // Sending to a process that is exiting fails, which is fine.
  for (const worker of workers) worker.send(message, () => {});
  await Promise.all(exits);
}
