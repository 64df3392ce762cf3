import { load, type Target } from "./load.ts";
import { residentMiB, type Server } from "./processes.ts";
import { say } from "./say.ts";

const EVERY_SECONDS = 30;

/** How much memory a process holds in the course of a load, in MiB, looked at twice a minute. */
export async function measureMemory(server: Server, target: Target, minutes: number): Promise<number[]> {
  const held: number[] = [];
  for (let at = 0; at < (minutes * 60) / EVERY_SECONDS; at += 1) {
    await load({ address: server.address, target, connections: 64, seconds: EVERY_SECONDS });
    held.push(Math.round(residentMiB(server.pid)));
    say(`memory after ${((at + 1) * EVERY_SECONDS) / 60} min: ${held.at(-1)} MiB`);
  }
  return held;
}
