import { Agent, get } from "node:http";
import type { WatchedServer } from "./watched-server.ts";

export type HitRatio = { lookups: number; ratio: number; first_pass: number };

const PASSES = 30;

/** Which share of hot look-ups is answered from the cache: over many passes, and in the first one alone. */
export async function measureHitRatio(server: WatchedServer, paths: readonly string[]): Promise<HitRatio> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const pass = async (): Promise<void> => {
    for (const path of paths) await read(server.address + path, agent);
  };
  const before = await server.readCacheCounts();
  await pass();
  const first = await server.readCacheCounts();
  for (let at = 1; at < PASSES; at += 1) await pass();
  const last = await server.readCacheCounts();
  agent.destroy();
  const ratio = (from: typeof before, to: typeof before): number => {
    const hits = to.hit - from.hit;
    return Math.round((1_000 * hits) / (hits + to.miss - from.miss)) / 1_000;
  };
  return { lookups: PASSES * paths.length, ratio: ratio(before, last), first_pass: ratio(before, first) };
}

function read(url: string, agent: Agent): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = get(url, { agent, localAddress: "127.0.2.2" }, (response) => {
    response.on("end", resolve);
    response.on("error", reject);
    response.resume();
  });
  request.on("error", reject);
  return promise;
}
