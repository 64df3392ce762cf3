import { setTimeout as delay } from "node:timers/promises";
import { type Bench, unpinBackends } from "./database.ts";
import type { Keyword } from "./keywords.ts";
import { load, type Target } from "./load.ts";
import type { Server } from "./processes.ts";
import { spreadOf } from "./statistics.ts";

export type Burst = { quietP99: number; burstP99: number; keywords: number; answered: number; toldToComeBack: number };

const BURST = 200;
const CONNECTIONS = 8;
const SECONDS = 5;

/** How look-ups fare while every second 200 of the worst keywords arrive at once, against how they fare in peace. */
export async function measureBurst(
  bench: Bench,
  server: Server,
  byId: Target,
  keywords: readonly Keyword[],
  rounds: number,
): Promise<Burst> {
  // Both may use all cores, as they would where they live.
  await unpinBackends(bench);
  const worst = keywords.filter(({ kind }) => kind === "adversarial");
  const quiet: number[] = [];
  const burst: number[] = [];
  const statuses: number[] = [];
  const lookUps = () => load({ address: server.address, target: byId, connections: CONNECTIONS, seconds: SECONDS });
  for (let round = 0; round < rounds; round += 1) {
    quiet.push((await lookUps()).p99);
    const bursts = Array.from({ length: SECONDS }, (_, at) => sendBurst(server, worst, statuses, at * 1_000));
    burst.push((await lookUps()).p99);
    await Promise.all(bursts);
  }
  const answered = statuses.filter((status) => status === 200).length;
  return {
    quietP99: spreadOf(quiet).median,
    burstP99: spreadOf(burst).median,
    keywords: statuses.length,
    answered,
    toldToComeBack: statuses.filter((status) => status === 503).length,
  };
}

async function sendBurst(
  { address }: Server,
  keywords: readonly Keyword[],
  statuses: number[],
  afterMs: number,
): Promise<void> {
  await delay(afterMs);
  const ask = async (at: number): Promise<void> => {
    const { text = "" } = keywords[at % keywords.length] ?? {};
    const perPage = 1 + (at % 100);
    const answer = await fetch(`${address}/api/v1/passports?keyword=${encodeURIComponent(text)}&per_page=${perPage}`);
    await answer.text();
    statuses.push(answer.status);
  };
  await Promise.all(Array.from({ length: BURST }, (_, at) => ask(at)));
}
