import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Burst, measureBurst } from "./burst.ts";
import { prepareData } from "./data.ts";
import { type Bench, column } from "./database.ts";
import { type EpochBuild, measureEpoch } from "./epoch.ts";
import { chooseKeywords, type KeywordTimes, timeKeywords } from "./keywords.ts";
import { load, type Target } from "./load.ts";
import {
  credence,
  describeMachine,
  log,
  OTHER_CORES,
  residentMiB,
  run,
  type Server,
  serve,
  startServer,
} from "./processes.ts";
import { type Case, type Measured, measureRounds, spreadOf } from "./rounds.ts";
import { chooseTargets, listPaths, type Targets } from "./targets.ts";

export type Plan = {
  people: number;
  rounds: number;
  seconds: number;
  /** Measures only the cases of the baseline. */
  lookUpsOnly: boolean;
  /** The number of keywords of each kind. */
  keywords: number;
  burst: boolean;
  epoch: boolean;
  memoryMinutes: number;
};

export type Results = {
  plan: Plan;
  at: string;
  postgres: string;
  node: string;
  /** The version of Credence, and the processor. Older files do not have it. */
  machine?: string;
  answerBytes: Record<"passport" | "credentials" | "list", number>;
  cases: Record<string, Measured>;
  cacheHits: number;
  keywords: Record<string, KeywordTimes>;
  burst?: Burst;
  epoch?: EpochBuild;
  memoryMiB?: number[];
};

const LIMIT_SERVER = fileURLToPath(new URL("limit-server.ts", import.meta.url));
const CONNECTIONS = 64;
/** One search runs at a time, and few wait for it. */
const SEARCHES = 8;
/** The number of cases, from the first, that the baseline needs. */
const LOOK_UP_CASES = 7;

export async function runBench(databaseServer: string, plan: Plan): Promise<Results> {
  for (const tool of ["wrk", "pgbench", "taskset"]) await run("which", [tool]);
  const bench = await prepareData(databaseServer, plan.people);
  // This process must not run on the measured core.
  await run("taskset", ["-cp", OTHER_CORES, String(process.pid)]);
  const folder = await mkdtemp(join(tmpdir(), "credence-bench-"));
  const targets = await chooseTargets(bench, folder);
  const { stdout: key } = await credence(["keys", "create", "--label", "bench", "--contact", "bench"], bench.url);
  // One server with the default configuration, and one without a cache.
  const warm = await serve(bench.url, {});
  const cold = await serve(bench.url, { CACHE_MAX_AGE: "0s" });
  const answerBytes = await measureSizes(cold, plan.people);
  const limit = await startServer([process.execPath, LIMIT_SERVER, ...Object.values(answerBytes).map(String)]);
  try {
    const servers = { warm, cold, limit };
    const all = listCases(bench, servers, targets, answerBytes, key.trim());
    const cases = plan.lookUpsOnly ? all.slice(0, LOOK_UP_CASES) : all;
    const measured = await measureRounds(bench, cases, plan.rounds, plan.seconds);
    const cacheHits = await readHitRate(warm);
    const paths = await listPaths([targets.present, targets.firstPage, targets.lastPage]);
    const epoch = plan.epoch ? await measureEpoch(bench.url, cold, paths) : undefined;
    if (epoch) {
      const { people, seconds, failedReads, reads } = epoch;
      log(`standing of ${people} people built in ${seconds.toFixed(0)} s, ${failedReads} of ${reads} reads failed`);
    }
    const keywords = plan.keywords > 0 ? await chooseKeywords(bench, plan.keywords) : [];
    const times = keywords.length > 0 ? await timeKeywords(cold, keywords) : {};
    for (const [kind, { p50, p99, max }] of Object.entries(times)) {
      log(`keywords, ${kind}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms`);
    }
    const burst = plan.burst ? await measureBurst(bench, cold, targets.present, keywords, 3) : undefined;
    if (burst) log(`by id, p99: ${burst.burstP99.toFixed(1)} ms in bursts, ${burst.quietP99.toFixed(1)} ms without`);
    const memoryMiB = plan.memoryMinutes > 0 ? await measureMemory(warm, targets.byId, plan.memoryMinutes) : undefined;
    const [postgres] = await column<string>(bench, "show server_version");
    return {
      plan,
      at: new Date().toISOString(),
      postgres: postgres ?? "",
      node: process.version,
      machine: describeMachine(),
      answerBytes,
      cases: measured,
      cacheHits,
      keywords: times,
      ...(burst && { burst }),
      ...(epoch && { epoch }),
      ...(memoryMiB && { memoryMiB }),
    };
  } finally {
    for (const server of [warm, cold, limit]) await server.stop();
    await bench.client.end();
    await rm(folder, { recursive: true });
  }
}

/** The median sizes of some answers, in bytes. */
async function measureSizes({ address }: Server, people: number): Promise<Results["answerBytes"]> {
  const sizeOf = async (path: string) => (await (await fetch(address + path)).arrayBuffer()).byteLength;
  const median = async (pathOf: (id: number) => string) => {
    const ids = Array.from({ length: 99 }, (_, index) => 1 + Math.floor((index * Math.min(people, 1_000_000)) / 99));
    const sizes = await Promise.all(ids.map((id) => sizeOf(pathOf(id))));
    return spreadOf(sizes).median;
  };
  return {
    passport: await median((id) => `/api/v1/passports/${id}`),
    credentials: await median((id) => `/api/v1/passport_credentials?passport_id=${id}`),
    list: await sizeOf("/api/v1/passports"),
  };
}

function listCases(
  { people, withCredentials }: Bench,
  { warm, cold, limit }: { warm: Server; cold: Server; limit: Server },
  targets: Targets,
  bytes: Results["answerBytes"],
  key: string,
): Case[] {
  const fixed = (name: string, size: number): Case => ({
    name,
    server: limit,
    load: { target: { path: `/${size}`, maxN: 1 }, connections: CONNECTIONS },
  });
  const service = (
    name: string,
    server: Server,
    target: Targets[keyof Targets],
    header = `X-API-KEY: ${key}`,
  ): Case => ({
    name,
    server,
    load: { target, header, connections: CONNECTIONS },
  });
  return [
    fixed("limit: a passport's size", bytes.passport),
    service("warm by id", warm, targets.popular),
    service("cold by id", cold, targets.byId),
    {
      name: "bare engine by id",
      sql: "select body, tail, etag from passport_document where passport_id = :n",
      maxN: people,
    },
    service("cold by wallet", cold, targets.byWallet),
    fixed("limit: credentials' size", bytes.credentials),
    service("cold credentials", cold, targets.credentials),
    {
      name: "bare engine credentials",
      sql: "select body, etag from credential_document where passport_id = :n",
      maxN: withCredentials,
    },
    fixed("limit: a page's size", bytes.list),
    service("list, first pages", cold, targets.firstPage),
    service("list, middle pages", cold, targets.middlePage),
    service("list, last pages", cold, targets.lastPage),
    service("list, pages of 100", cold, targets.longPage),
    {
      ...service("search", cold, targets.search),
      load: { target: targets.search, header: `X-API-KEY: ${key}`, connections: SEARCHES },
    },
    service("304", warm, targets.popular, "If-None-Match: *"),
    service("404", cold, targets.unknown),
    service("401, a bad key", warm, targets.byId, "X-API-KEY: not-a-key"),
  ];
}

async function readHitRate({ privateAddress }: Server): Promise<number> {
  const metrics = await (await fetch(`${privateAddress}/metrics`)).text();
  const count = (result: string) =>
    Number(new RegExp(`credence_cache_requests_total\\{result="${result}"\\} (\\d+)`).exec(metrics)?.[1] ?? 0);
  const [hits, misses] = [count("hit"), count("miss")];
  return hits / Math.max(1, hits + misses);
}

const INTERVAL_SECONDS = 30;

/** Measures the resident memory of the server under load, in MiB, after each interval. */
async function measureMemory(server: Server, target: Target, minutes: number): Promise<number[]> {
  const samples: number[] = [];
  for (let seconds = INTERVAL_SECONDS; seconds <= minutes * 60; seconds += INTERVAL_SECONDS) {
    await load({ address: server.address, target, connections: 64, seconds: INTERVAL_SECONDS });
    samples.push(Math.round(residentMiB(server.pid)));
    log(`memory after ${seconds / 60} min: ${samples.at(-1)} MiB`);
  }
  return samples;
}
