import { setTimeout as delay } from "node:timers/promises";
import { type Bench, unpinBackends } from "./database.ts";
import type { Keyword } from "./keywords.ts";
import { load, type Target } from "./load.ts";
import type { Server } from "./processes.ts";
import { spreadOf } from "./rounds.ts";

export type Burst = { quietP99: number; burstP99: number; keywords: number; found: number; shed: number };

const BURST_SIZE = 200;
const CONNECTIONS = 8;
const SECONDS = 5;

/** Measures look-ups with and without a burst of adversarial keywords every second. */
export async function measureBurst(
  bench: Bench,
  server: Server,
  byId: Target,
  keywords: readonly Keyword[],
  rounds: number,
): Promise<Burst> {
  // As in production, the service and PostgreSQL share all cores.
  await unpinBackends(bench);
  const adversarial = keywords.filter(({ kind }) => kind === "adversarial");
  const quiet: number[] = [];
  const burst: number[] = [];
  const statuses: number[] = [];
  const loadLookUps = () => load({ address: server.address, target: byId, connections: CONNECTIONS, seconds: SECONDS });
  for (let round = 0; round < rounds; round += 1) {
    quiet.push((await loadLookUps()).p99);
    const bursts = Array.from({ length: SECONDS }, async (_, second) => {
      await delay(second * 1_000);
      statuses.push(...(await sendBurst(server, adversarial)));
    });
    // Together: if a burst fails, the bench ends in order, with its servers.
    const [{ p99 }] = await Promise.all([loadLookUps(), ...bursts]);
    burst.push(p99);
  }
  return {
    quietP99: spreadOf(quiet).median,
    burstP99: spreadOf(burst).median,
    keywords: statuses.length,
    found: statuses.filter((status) => status === 200).length,
    shed: statuses.filter((status) => status === 503).length,
  };
}

const sendBurst = ({ address }: Server, keywords: readonly Keyword[]): Promise<number[]> =>
  Promise.all(
    Array.from({ length: BURST_SIZE }, async (_, index) => {
      const keyword = encodeURIComponent(keywords[index % keywords.length]?.text ?? "");
      const response = await fetch(`${address}/api/v1/passports?keyword=${keyword}&per_page=${1 + (index % 100)}`);
      await response.text();
      return response.status;
    }),
  );
