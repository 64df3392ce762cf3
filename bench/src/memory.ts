import { load, type Target } from "./load.ts";
import { log } from "./log.ts";
import { residentMiB, type Server } from "./processes.ts";

const INTERVAL_SECONDS = 30;

/** Measures the resident memory of the server under load, in MiB, after each interval. */
export async function measureMemory(server: Server, target: Target, minutes: number): Promise<number[]> {
  const samples: number[] = [];
  for (let seconds = INTERVAL_SECONDS; seconds <= minutes * 60; seconds += INTERVAL_SECONDS) {
    await load({ address: server.address, target, connections: 64, seconds: INTERVAL_SECONDS });
    samples.push(Math.round(residentMiB(server.pid)));
    log(`memory after ${seconds / 60} min: ${samples.at(-1)} MiB`);
  }
  return samples;
}
