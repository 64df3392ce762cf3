import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Person } from "@credence/contract/person.ts";
import { type Database, queryValue } from "#core/database/database.ts";
import { hide, show } from "#testing/decide.ts";
import { readCpuMs, readMemoryMiB } from "./abuse/watched-server.ts";
import { pathAt } from "./cluster/load.ts";
import { type LoadSample, startLoad } from "./endurance/load.ts";
import { plotSeries } from "./endurance/plot.ts";
import {
  type ProofServer,
  runCredence,
  startCredence,
  startServer,
  withProofDatabase,
  withProofFolder,
} from "./harness.ts";
import { printOrigin, writeFigures } from "./write-figures.ts";
import { writePeople } from "./write-people.ts";

const PEOPLE = 20_000;
/** The last people are hidden and shown in turn, and not looked up. */
const HIDDEN = 1_000;
const CONNECTIONS = 32;
const CAPACITY_MS = 10_000;
/** The share of people whose score changes from one import to the next. */
const CHANGED = 0.02;
const MAX_DIFFERENCE = 0.05;
/** Only a run of this length updates docs/RELIABILITY.md. */
const FULL_SECONDS = 3_600;
const PLOT = fileURLToPath(new URL("../../docs/performance/endurance.svg", import.meta.url));

type Sample = LoadSample & {
  server_mib: number;
  worker_mib: number;
  server_descriptors: number;
  worker_descriptors: number;
  connections: number;
  database_mib: number;
  cpu_us_per_request: number;
};
type Measured = Exclude<keyof Sample, "requests" | "failed" | "refused">;

const MEASURED: Record<Measured, { name: string; unit: string }> = {
  server_mib: { name: "Memory of the server", unit: "MiB" },
  worker_mib: { name: "Memory of the worker", unit: "MiB" },
  server_descriptors: { name: "Open files of the server", unit: "descriptors" },
  worker_descriptors: { name: "Open files of the worker", unit: "descriptors" },
  connections: { name: "Connections to PostgreSQL", unit: "connections" },
  database_mib: { name: "Size of the database", unit: "MiB" },
  p50_ms: { name: "Median latency", unit: "ms" },
  p99_ms: { name: "99th percentile of the latency", unit: "ms" },
  cpu_us_per_request: { name: "CPU time of the server per request", unit: "µs" },
};

/**
 * A server and a worker under half of the load that they manage during an import, with imports, hides and
 * brownouts. Nothing may grow: the medians of the second and the last quarter are compared.
 */
export function proveEndurance(seconds: number) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      const environment = { DATABASE_URL: url };
      const files = [0, 1].map((version) => join(folder, `people-${version}.ndjson`));
      await Promise.all(files.map((file, version) => writePeople(file, PEOPLE, 1, inVersion(version))));
      await runCredence(["import", files[0] as string], environment);
      await runCredence(["standing", "refresh"], environment);
      const server = await startServer(url, planBrownouts(seconds));
      const worker = startCredence(["work"], environment);
      const load = startLoad(server.address, (at) => pathAt(at, PEOPLE - HIDDEN), CONNECTIONS);
      const stopping = new AbortController();
      try {
        const importing = runCredence(["import", files[1] as string], environment);
        const capacity = await load.measureCapacity(Math.min(CAPACITY_MS, 250 * seconds));
        await importing;
        load.begin(capacity / 2);
        const changes = [
          repeat(stopping.signal, seconds / 24, (at) =>
            runCredence(["import", files[(at + 1) % 2] as string], environment),
          ),
          repeat(stopping.signal, 0.5, (at) => hideOrShow(database, at)),
        ];
        const samples = await sampleUntil(seconds, () => takeSample(database, server, worker.process, load.take()));
        stopping.abort();
        await Promise.all(changes);
        return await report(seconds, capacity, samples);
      } finally {
        load.stop();
        stopping.abort();
        worker.process.kill("SIGTERM");
        await worker.ended;
        await server.stop();
      }
    }),
  );
}

/** A few scores differ between the two versions. Nobody is hidden or merged. */
const inVersion =
  (version: number) =>
  ({ credentials, passport }: Person): Person => {
    const isChanged = passport.passport_id % (1 / CHANGED) === 0;
    return { passport: isChanged ? { ...passport, score: 10 + version } : passport, credentials };
  };

/** Two brownouts in each quarter, of a fortieth of the time. */
function planBrownouts(seconds: number): Record<string, string> {
  const start = Date.now();
  const at = (part: number) => new Date(start + part * seconds * 1_000).toISOString();
  const intervals = Array.from({ length: 8 }, (_, index) => `${at((index + 0.8) / 8)}/${at((index + 1) / 8)}`);
  return {
    V1_DEPRECATED_AT: "2026-01-01T00:00:00Z",
    V1_SUNSET_AT: new Date(start + 365 * 86_400_000).toISOString(),
    V1_BROWNOUTS: intervals.join(", "),
  };
}

async function repeat(
  signal: AbortSignal,
  everySeconds: number,
  work: (at: number) => Promise<unknown>,
): Promise<void> {
  for (let index = 0; !signal.aborted; index += 1) {
    await work(index);
    await delay(everySeconds * 1_000, null, { signal }).catch(() => {});
  }
}

/** Hides a person, and shows the same one the next time. */
const hideOrShow = (database: Database, index: number) =>
  (index % 2 === 0 ? hide : show)(database, [PEOPLE - (Math.floor(index / 2) % HIDDEN)]);

async function sampleUntil(seconds: number, take: () => Promise<Sample>): Promise<Sample[]> {
  const everySeconds = seconds / 360;
  const started = performance.now();
  const samples: Sample[] = [];
  for (let index = 1; index <= 360; index += 1) {
    await delay(Math.max(0, started + index * everySeconds * 1_000 - performance.now()));
    samples.push(await take());
    if (index % 36 === 0) process.stderr.write(`${index / 3.6} %: ${JSON.stringify(samples.at(-1))}\n`);
  }
  return samples;
}

let cpuBefore = 0;

async function takeSample(
  database: Database,
  server: ProofServer,
  worker: ChildProcess,
  load: LoadSample,
): Promise<Sample> {
  const [serverId, workerId] = [server.process.pid as number, worker.pid as number];
  const cpuMs = readCpuMs(serverId);
  const spentMs = cpuMs - cpuBefore;
  cpuBefore = cpuMs;
  return {
    ...load,
    server_mib: readMemoryMiB(serverId),
    worker_mib: readMemoryMiB(workerId),
    server_descriptors: readdirSync(`/proc/${serverId}/fd`).length,
    worker_descriptors: readdirSync(`/proc/${workerId}/fd`).length,
    connections: await queryValue<number>(
      database,
      "select count(*)::int from pg_stat_activity where datname = current_database()",
    ),
    database_mib: (await queryValue<number>(database, "select pg_database_size(current_database())")) / 2 ** 20,
    cpu_us_per_request: (1_000 * spentMs) / Math.max(1, load.requests),
  };
}

async function report(seconds: number, capacity: number, samples: readonly Sample[]) {
  const quarter = samples.length / 4;
  const medianOf = (key: Measured, from: number) =>
    median(samples.slice(from, from + quarter).map((sample) => sample[key]));
  const keys = Object.keys(MEASURED) as Measured[];
  const rows = keys.map((key) => {
    const [second, last] = [medianOf(key, quarter), medianOf(key, 3 * quarter)];
    return { ...MEASURED[key], second, last, difference: last / second - 1 };
  });
  const sum = (key: "requests" | "failed" | "refused") => samples.reduce((total, sample) => total + sample[key], 0);
  const totals = {
    capacity: Math.round(capacity),
    requests: sum("requests"),
    failed: sum("failed"),
    refused: sum("refused"),
  };
  if (seconds >= FULL_SECONDS) {
    const series = keys.map((key) => ({ ...MEASURED[key], values: samples.map((sample) => sample[key]) }));
    await writeFile(PLOT, plotSeries("An hour at half capacity", seconds / 60, series));
    await writeFigures("endurance", printTable(totals, rows));
  }
  const not_met = [
    ...(totals.failed > 0 ? [`${totals.failed} requests failed`] : []),
    ...rows
      .filter(({ difference }) => difference > MAX_DIFFERENCE)
      .map(({ name, difference }) => `${name}: ${difference}`),
  ];
  return { ...totals, rows, not_met };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

type Row = { name: string; unit: string; second: number; last: number; difference: number };
type Totals = { capacity: number; requests: number; failed: number; refused: number };

function printTable({ capacity, requests, failed, refused }: Totals, rows: readonly Row[]): string {
  const number = (value: number) => value.toLocaleString("en", { maximumSignificantDigits: 4 });
  const lines = rows.map(({ name, unit, second, last, difference }) => {
    const sign = difference > 0 ? "+" : "";
    return `| ${name}, ${unit} | ${number(second)} | ${number(last)} | ${sign}${(100 * difference).toFixed(1)} % |`;
  });
  return [
    printOrigin(),
    `Capacity: ${capacity.toLocaleString("en")} requests a second.`,
    `Requests: ${requests.toLocaleString("en")}; failed: ${failed}; 410 in brownouts: ${refused.toLocaleString("en")}.`,
    "",
    "| Median | Second quarter | Last quarter | Difference |",
    "|---|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}
