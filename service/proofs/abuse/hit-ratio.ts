import { Agent, get } from "node:http";
import { startWatchedServer } from "./watched-server.ts";

export type HitRatio = { lookups: number; hit_ratio: number };

const HOT = 1_000;

/**
 * Measures the cache hit ratio of popular look-ups after a flood of other keys. Uses a separate
 * server with a long CACHE_MAX_AGE, so that no entry expires.
 */
export async function measureHitRatio(
  url: string,
  allPaths: readonly string[],
  flood: (address: string) => Promise<unknown>,
): Promise<HitRatio> {
  const server = await startWatchedServer(url, { CACHE_MAX_AGE: "10m" });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const paths = allPaths.slice(0, HOT);
  try {
    const readAll = async (): Promise<void> => {
      for (const path of paths) await read(server.address + path, agent);
    };
    await readAll();
    await readAll();
    await flood(server.address);
    const before = await server.readCacheCounts();
    await readAll();
    const after = await server.readCacheCounts();
    const hits = after.hit - before.hit;
    return { lookups: paths.length, hit_ratio: hits / (hits + after.miss - before.miss) };
  } finally {
    agent.destroy();
    await server.stop();
  }
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
