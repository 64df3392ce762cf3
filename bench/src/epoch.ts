import { setTimeout as delay } from "node:timers/promises";
import { credence, type Server } from "./processes.ts";
import { percentile } from "./statistics.ts";

export type EpochBuilt = {
  seconds: number;
  people: number;
  reads: number;
  failedReads: number;
  p50: number;
  p99: number;
};

const READS_A_SECOND = 200;

/** Builds the list anew while look-ups and pages are read, at a steady rate. All paths must be answered with 200. */
export async function measureEpoch(url: string, server: Server, paths: readonly string[]): Promise<EpochBuilt> {
  let going = true;
  const building = credence(["standing", "refresh", "--json"], url).finally(() => {
    going = false;
  });
  const times: number[] = [];
  let failedReads = 0;
  const read = async (path: string) => {
    const started = performance.now();
    const answer = await fetch(server.address + path).catch(() => null);
    await answer?.text();
    times.push(performance.now() - started);
    if (answer?.status !== 200) failedReads += 1;
  };
  const asked: Promise<void>[] = [];
  for (let at = 0; going; at += 1) {
    asked.push(read(paths[at % paths.length] as string));
    await delay(1_000 / READS_A_SECOND);
  }
  await Promise.all(asked);
  const { total, build_ms } = JSON.parse((await building).stdout) as { total: number; build_ms: number };
  times.sort((one, other) => one - other);
  return {
    ...{ seconds: build_ms / 1_000, people: total, reads: times.length, failedReads },
    ...{ p50: percentile(times, 0.5), p99: percentile(times, 0.99) },
  };
}
