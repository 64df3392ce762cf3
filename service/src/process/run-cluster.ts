import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { Failure } from "#cli/terminal/failure.ts";
import type { Phase } from "#http/deps.ts";
import { aggregateMetrics } from "#http/metrics/node-metrics.ts";
import { startPrivate } from "#http/start-private.ts";
import {
  drainDelayAfter,
  type LogTo,
  nextSignal,
  openServing,
  type ServeConfig,
  warnOfOpenPrivatePort,
} from "./open-serving.ts";

const FORK_AGAIN_MS = 1_000;

/** What the first process tells the others: to stop, after so long. */
export type StopMessage = { stopAfterMs: number };

/**
 * A node of several processes: this one opens the operators' port and looks after the others, which answer V1 on one port. One that
 * dies is replaced.
 */
export async function runCluster(
  config: ServeConfig,
  workers: number,
  logTo: LogTo,
  onReady: (server: { address: string }) => void,
): Promise<void> {
  const { log, readers } = await openServing(config, logTo, workers);
  let phase: Phase = "serving";
  const readMetrics = aggregateMetrics(readers);
  try {
    const address = await forkAll(workers, log, () => phase === "serving");
    const operators = await startPrivate({ config, readers, log, phase: () => phase, readMetrics });
    // Heard from the moment that anybody can know it is serving.
    const signalled = nextSignal();
    log.info({ address, privateAddress: operators.address, workers }, "serving");
    warnOfOpenPrivatePort(config, operators.address, log);
    onReady({ address });
    const signal = await signalled;
    log.info({ signal }, "stopping");
    phase = "draining";
    await stopAll({ stopAfterMs: drainDelayAfter(signal, config) });
    await operators.close();
    log.info("stopped");
  } finally {
    // Whoever is left has no one to look after them: a start that failed, say.
    phase = "closing";
    for (const worker of listWorkers()) worker.process.kill("SIGKILL");
    await readers.end().catch(() => {});
  }
}

/** Starts the others and returns the address they share, once all of them listen. */
async function forkAll(workers: number, log: Logger, isServing: () => boolean): Promise<string> {
  let started = false;
  cluster.on("exit", async ({ process: { pid } }, code, signal) => {
    if (!started || !isServing()) return;
    log.error({ pid, code, signal }, "a process of this node died; another takes its place");
    await delay(FORK_AGAIN_MS);
    if (isServing()) cluster.fork();
  });
  const first = Array.from({ length: workers }, () => cluster.fork());
  const addresses = await Promise.all(first.map(whenListening));
  started = true;
  return addresses[0] as string;
}

const listWorkers = (): Worker[] =>
  Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined && !worker.isDead()) as Worker[];

/** It says itself why if it cannot. */
async function whenListening(worker: Worker): Promise<string> {
  const died = once(worker, "exit").then(() => {
    throw new Failure("A process of this node ended before it listened.", "The lines above say why.");
  });
  const [{ address, port }] = (await Promise.race([once(worker, "listening"), died])) as [
    { address: string; port: number },
  ];
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

async function stopAll(message: StopMessage): Promise<void> {
  const workers = listWorkers();
  const gone = workers.map((worker) => new Promise((resolve) => worker.once("exit", resolve)));
  // One that is just dying needs no message.
  for (const worker of workers) worker.send(message, () => {});
  await Promise.all(gone);
}
