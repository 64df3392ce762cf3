import { setTimeout as delay } from "node:timers/promises";
import { credence, type Server } from "./processes.ts";
import { percentile } from "./rounds.ts";

export type EpochBuild = {
  seconds: number;
  people: number;
  reads: number;
  failedReads: number;
  p50: number;
  p99: number;
};

const READS_PER_SECOND = 200;

/** Refreshes the standing while paths are read at a constant rate. Every read must return 200. */
export async function measureEpoch(url: string, server: Server, paths: readonly string[]): Promise<EpochBuild> {
  let isRunning = true;
  const refresh = credence(["standing", "refresh", "--json"], url).finally(() => {
    isRunning = false;
  });
  const times: number[] = [];
  let failedReads = 0;
  const read = async (path: string) => {
    const started = performance.now();
    const response = await fetch(server.address + path).catch(() => null);
    await response?.text();
    times.push(performance.now() - started);
    if (response?.status !== 200) failedReads += 1;
  };
  const reads: Promise<void>[] = [];
  for (let index = 0; isRunning; index += 1) {
    reads.push(read(paths[index % paths.length] as string));
    await delay(1_000 / READS_PER_SECOND);
  }
  await Promise.all(reads);
  const { total, build_ms } = JSON.parse((await refresh).stdout) as { total: number; build_ms: number };
  return {
    ...{ seconds: build_ms / 1_000, people: total, reads: times.length, failedReads },
    ...{ p50: percentile(times, 0.5), p99: percentile(times, 0.99) },
  };
}
