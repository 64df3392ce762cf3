import { type Bench, listBackends, pgbench, pinBackends } from "./database.ts";
import { type Load, type LoadResult, load } from "./load.ts";
import { cpuOf, log, type Server } from "./processes.ts";

/** A case to measure: a server under load, or PostgreSQL without the service. */
export type Case =
  | { name: string; server: Server; load: Omit<Load, "address" | "seconds"> }
  | { name: string; sql: string; maxN: number };

/** Requests a second, latencies in milliseconds, and the CPU time of a request in microseconds. */
export type Measured = {
  perSecond: Spread;
  p50?: Spread;
  p99?: Spread;
  nodeMicroseconds?: Spread;
  databaseMicroseconds?: Spread;
  refused?: number;
  broken?: number;
};

/** Long enough to fill the cache. */
const WARM_UP_SECONDS = 2;

type Sample = { perSecond: number; loaded?: LoadResult; node?: number; database?: number };

/** Measures all cases in each round, so that other load on the machine affects all cases alike. */
export async function measureRounds(
  bench: Bench,
  cases: readonly Case[],
  rounds: number,
  seconds: number,
): Promise<Record<string, Measured>> {
  const samples = new Map(cases.map(({ name }) => [name, [] as Sample[]]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const benchCase of cases) {
      const sample = await measure(bench, benchCase, seconds);
      samples.get(benchCase.name)?.push(sample);
      log(`${round}/${rounds} ${benchCase.name}: ${Math.round(sample.perSecond)}/s${describe(sample)}`);
    }
  }
  return Object.fromEntries([...samples].map(([name, measured]) => [name, summarise(measured)]));
}

const describe = ({ loaded, node, database }: Sample): string =>
  loaded === undefined
    ? ""
    : `, p99 ${loaded.p99.toFixed(1)} ms, ${node?.toFixed(1)} + ${database?.toFixed(1)} µs${
        loaded.broken > 0 ? `, ${loaded.broken} broken` : ""
      }`;

async function measure(bench: Bench, benchCase: Case, seconds: number): Promise<Sample> {
  if ("sql" in benchCase) return { perSecond: await pgbench(bench, benchCase.sql, benchCase.maxN, seconds) };
  const { server } = benchCase;
  const loadFor = (duration: number) => load({ ...benchCase.load, address: server.address, seconds: duration });
  await loadFor(Math.min(WARM_UP_SECONDS, seconds));
  await pinBackends(bench);
  const backends = await listBackends(bench);
  const before = { node: cpuOf(server.pid), database: backends.map(cpuOf) };
  const loaded = await loadFor(seconds);
  return {
    perSecond: loaded.perSecond,
    loaded,
    node: (cpuOf(server.pid) - before.node) / loaded.requests,
    // A backend that has ended in the meantime counts nothing.
    database:
      backends.reduce((sum, pid, index) => sum + Math.max(0, cpuOf(pid) - (before.database[index] ?? 0)), 0) /
      loaded.requests,
  };
}

function summarise(samples: readonly Sample[]): Measured {
  const spread = (pick: (sample: Sample) => number | undefined) =>
    spreadOf(samples.flatMap((sample) => pick(sample) ?? []));
  const perSecond = spread((sample) => sample.perSecond);
  if (samples[0]?.loaded === undefined) return { perSecond };
  const sum = (pick: (loaded: LoadResult) => number) =>
    samples.reduce((total, { loaded }) => total + (loaded === undefined ? 0 : pick(loaded)), 0);
  return {
    perSecond,
    p50: spread((sample) => sample.loaded?.p50),
    p99: spread((sample) => sample.loaded?.p99),
    nodeMicroseconds: spread((sample) => sample.node),
    databaseMicroseconds: spread((sample) => sample.database),
    refused: sum((loaded) => loaded.refused),
    broken: sum((loaded) => loaded.broken),
  };
}

export type Spread = { median: number; min: number; max: number };

const byValue = (a: number, b: number): number => a - b;

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted(byValue);
  const middle = Math.floor(sorted.length / 2);
  const median =
    sorted.length % 2 === 0 ? ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2 : (sorted[middle] ?? 0);
  return { median, min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 };
}

export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted(byValue);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? 0;
}
