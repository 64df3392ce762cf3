import { type Bench, listBackends, pgbench, pinBackends } from "./database.ts";
import { type Load, type Loaded, load } from "./load.ts";
import { cpuOf, type Server } from "./processes.ts";
import { say } from "./say.ts";
import { type Spread, spreadOf } from "./statistics.ts";

/** One thing to measure again and again: a server under load, or the engine alone. */
export type Case =
  | { name: string; server: Server; load: Omit<Load, "address" | "seconds"> }
  | { name: string; sql: string; most: number };

/** Requests a second, latencies in milliseconds, and microseconds of processor time a request took. */
export type Measured = {
  perSecond: Spread;
  p50?: Spread;
  p99?: Spread;
  nodeMicroseconds?: Spread;
  databaseMicroseconds?: Spread;
  refused?: number;
  broken?: number;
};

/** Long enough to fill the cache, where there is one. */
const WARM_UP_SECONDS = 2;

type Sample = { perSecond: number; loaded?: Loaded; node?: number; database?: number };

/** Every case in turn, and all of them again: whatever else the machine does befalls them all alike. */
export async function measureRounds(
  bench: Bench,
  cases: readonly Case[],
  rounds: number,
  seconds: number,
): Promise<Record<string, Measured>> {
  const samples = new Map(cases.map(({ name }) => [name, [] as Sample[]]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const one of cases) {
      const sample = await measure(bench, one, seconds);
      samples.get(one.name)?.push(sample);
      say(`${round}/${rounds} ${one.name}: ${Math.round(sample.perSecond)}/s${describe(sample)}`);
    }
  }
  return Object.fromEntries([...samples].map(([name, taken]) => [name, summarise(taken)]));
}

const describe = ({ loaded, node, database }: Sample): string =>
  loaded === undefined
    ? ""
    : `, p99 ${loaded.p99.toFixed(1)} ms, ${node?.toFixed(1)} + ${database?.toFixed(1)} µs${
        loaded.broken > 0 ? `, ${loaded.broken} broken` : ""
      }`;

async function measure(bench: Bench, one: Case, seconds: number): Promise<Sample> {
  if ("sql" in one) return { perSecond: await pgbench(bench, one.sql, one.most, seconds) };
  const { server } = one;
  const loadFor = (long: number) => load({ ...one.load, address: server.address, seconds: long });
  await loadFor(WARM_UP_SECONDS);
  await pinBackends(bench);
  const backends = await listBackends(bench);
  const usedBy = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
  const before = { node: cpuOf(server.pid), database: usedBy(backends) };
  const loaded = await loadFor(seconds);
  return {
    perSecond: loaded.perSecond,
    loaded,
    node: (cpuOf(server.pid) - before.node) / loaded.requests,
    database: (usedBy(backends) - before.database) / loaded.requests,
  };
}

function summarise(samples: readonly Sample[]): Measured {
  const spread = (pick: (sample: Sample) => number | undefined) => spreadOf(samples.flatMap((one) => pick(one) ?? []));
  const perSecond = spread((one) => one.perSecond);
  if (samples[0]?.loaded === undefined) return { perSecond };
  const sum = (pick: (loaded: Loaded) => number) =>
    samples.reduce((total, { loaded }) => total + (loaded === undefined ? 0 : pick(loaded)), 0);
  return {
    perSecond,
    p50: spread((one) => one.loaded?.p50),
    p99: spread((one) => one.loaded?.p99),
    nodeMicroseconds: spread((one) => one.node),
    databaseMicroseconds: spread((one) => one.database),
    refused: sum((loaded) => loaded.refused),
    broken: sum((loaded) => loaded.broken),
  };
}
