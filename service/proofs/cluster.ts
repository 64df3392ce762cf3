import { chmodSync, globSync, mkdtempSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Database, openDatabase, queryValue } from "#core/database/database.ts";
import { openHolderRequests } from "#holders/serve/requests.ts";
import { savePeople } from "#people/write/save-people.ts";
import { createClock } from "#testing/fake-clock.ts";
import { findFreePorts } from "#testing/free-ports.ts";
import { HOLDER_ENVIRONMENT } from "#testing/holder-client.ts";
import { signRequest } from "#testing/holders.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person } from "#testing/people.ts";
import { startProxy } from "#testing/proxy.ts";
import { solanaWallet, type TestWallet } from "#testing/wallets.ts";
import { printVersions, runInDebian13 } from "./cluster/debian-13.ts";
import { FAULTS, type Fault, type NodeOptions, type Parts } from "./cluster/faults.ts";
import { directly, type Reads, startReads, throughProxy } from "./cluster/load.ts";
import { type DatabaseCluster, startDatabases } from "./cluster/start-cluster.ts";
import { watchConnections, watchHidden, watchVersions } from "./cluster/watch.ts";
import { startWrites } from "./cluster/writes.ts";
import {
  blockScores,
  type ProofServer,
  readMetric,
  requireName,
  runCredence,
  startCredence,
  startServer,
  waitFor,
} from "./harness.ts";
import { printOrigin, writeFigures } from "./write-figures.ts";

const NODES = 2;
/** Besides the people who are only read: writers change some again and again, and hide others. */
const VERSIONED = 4;
const HIDEABLE = 2_000;
/** As docs/PRIVACY.md promises for a node: CACHE_MAX_AGE, and the time of a request. */
const MAX_SHOWN_SECONDS = 30;
const SETTLE_MS = 2_000;
const MAX_GAP_MS = 30_000;
/** HAProxy must not keep a client waiting that connects while there is no primary. */
const MAX_CONNECT_MS = 2_000;
/** Only a run of this size updates docs/RELIABILITY.md. */
const FULL_SIZE = 20_000;

const HOLDERS = { ...HOLDER_ENVIRONMENT, PUBLIC_URL: "https://v1.example", OPT_OUT_KEY };

type ClusterResult = { faults: FaultResult[]; not_met: string[] };

const listFaults = (only: string): readonly Fault[] => FAULTS.filter(({ name }) => name.includes(only));

/** Breaks a cluster in a Debian 13 of its own. `only` is a part of the names of the faults to run. */
export async function proveCluster(people: number, only = ""): Promise<ClusterResult> {
  if (listFaults(only).length === 0)
    requireName(
      only,
      FAULTS.map(({ name }) => name),
    );
  return runInDebian13([String(people), only]);
}

/**
 * Breaks a cluster under load, one fault after the other: three PostgreSQL under Patroni, an HAProxy
 * beside each of two nodes, two workers, and nginx. Reports for each fault what clients and operators
 * see. A process that is killed is started again after two seconds, as by its supervisor. Nothing is
 * cleaned up: all of it ends with this process.
 */
export async function breakCluster(people: number, only = ""): Promise<ClusterResult> {
  const versions = printVersions();
  const folder = mkdtempSync("/dev/shm/credence-cluster-");
  chmodSync(folder, 0o755);
  try {
    const rows = await withNodes(await startDatabases(folder, NODES), folder, people, listFaults(only));
    if (people >= FULL_SIZE && only === "") await writeFigures("cluster", printTable(rows, versions));
    return { faults: rows, not_met: rows.flatMap(findUnmet) };
  } catch (cause) {
    throw new Error(`The ends of the logs:\n${printLogs(folder)}`, { cause });
  }
}

const printLogs = (folder: string): string =>
  globSync(`${folder}/*.log`)
    .map((file) => `${file}:\n${readFileSync(file, "utf8").split("\n").slice(-20).join("\n")}`)
    .join("\n");

async function withNodes(
  databases: DatabaseCluster,
  folder: string,
  people: number,
  faults: readonly Fault[],
): Promise<FaultResult[]> {
  const [first] = databases.haproxies as [DatabaseCluster["haproxies"][number]];
  const owner = { DATABASE_URL: first.primaryUrl, AUTH_MODE: "open" };
  const database = openDatabase({
    url: first.primaryUrl,
    name: "proof",
    maxConnections: 8,
    statementTimeoutMs: 10_000,
  });
  await runCredence(["migrate"], owner);
  const idsFrom = (start: number, count: number) => Array.from({ length: count }, (_, index) => start + index);
  const [versioned, hideable] = [idsFrom(1_000_001, VERSIONED), idsFrom(2_000_001, HIDEABLE)];
  await savePeople(
    database,
    [...idsFrom(1, people), ...versioned, ...hideable].map((id) => person(id, { score: 0 })),
  );
  const holder = { passportId: 3_000_001, wallet: solanaWallet("a holder") };
  await savePeople(database, [person(holder.passportId, { main_wallet: holder.wallet.address })]);
  await runCredence(["standing", "refresh"], owner);

  let warnings: string[] = [];
  const ports = await findFreePorts(NODES);
  const startNode = async (at: number, { environment = {} }: NodeOptions = {}): Promise<ProofServer> => {
    const { primaryUrl, readUrl } = databases.haproxies[at] as (typeof databases.haproxies)[number];
    const urls = { DATABASE_READ_URL: readUrl, PORT: String(ports[at]) };
    const all = { ...owner, ...environment, DATABASE_URL: primaryUrl, ...urls };
    const node = await startServer(primaryUrl, all);
    node.process.stdout?.on("data", (chunk) => {
      for (const [, message = ""] of String(chunk).matchAll(/"level":"warn".*"msg":"([^"]*)"/g)) warnings.push(message);
    });
    return node;
  };
  const nodes = await Promise.all(idsFrom(0, NODES).map((at) => startNode(at)));
  const startWorker = () => startCredence(["work"], { ...owner, ...HOLDERS }).process;
  const workers = [startWorker(), startWorker()];
  const addresses = nodes.map(({ address }) => address);
  const proxy = await startProxy(join(folder, "nginx"), addresses);
  const reads = {
    nginx: startReads(8, throughProxy(proxy, people)),
    direct: startReads(4, directly(addresses, people)),
  };
  const writes = startWrites(database, versioned, hideable);
  const watch = watchHidden(addresses, writes);
  const versions = watchVersions(addresses, writes);
  const connections = watchConnections(first.primaryUrl);
  const parts: Parts = {
    databases,
    node: (at) => (nodes[at] as ProofServer).process,
    restartNode: async (at, options) => {
      nodes[at] = await startNode(at, options);
    },
    clock: createClock(join(folder, "clock")),
    worker: (at) => workers[at] as (typeof workers)[number],
    restartWorker: (at) => {
      workers[at] = startWorker();
    },
    proxyWorkerIds: proxy.workerIds,
    startErasure: () => startErasure(database, holder),
  };
  const rows: FaultResult[] = [];
  try {
    await waitUntilHealthy(database, databases, nodes);
    for (const { name, run, failsReads, connects } of faults) {
      for (const reader of Object.values(reads)) reader.take();
      writes.take();
      watch.take();
      versions.take();
      connections.take();
      warnings = [];
      const started = performance.now();
      const problems = await run(parts).then(
        () => [],
        (error: Error) => [error.message],
      );
      // Nothing is healthy before all have noticed it.
      await delay(SETTLE_MS);
      await waitUntilHealthy(database, databases, nodes);
      const healthy_after_s = Math.round((performance.now() - started) / 1_000);
      const { longest_gap_ms, unknown, acknowledged } = writes.take();
      const row = {
        ...{ fault: name, failsReads, connects, connect_ms: connections.take(), acknowledged, load: loadavg()[0] ?? 0 },
        ...{ problems, nginx: summarise(reads.nginx.take()), direct: summarise(reads.direct.take()) },
        ...{ write_gap_ms: longest_gap_ms, unknown_writes: unknown, ...versions.take() },
        lost: [
          ...(await writes.findLost(database)),
          ...(await watch.findShownAgain()),
          ...(await databases.findForks()),
        ],
        ...{ shown_seconds: watch.take(), healthy_after_s, warnings_per_node: warnings.length / NODES },
      };
      process.stderr.write(`${JSON.stringify({ ...row, warnings })}\n`);
      rows.push(row);
    }
  } finally {
    await writes.stop();
    await watch.stop();
    await versions.stop();
    await connections.stop();
    await Promise.all(Object.values(reads).map((reader) => reader.stop()));
    await proxy.stop();
    for (const worker of workers) worker.kill("SIGTERM");
    await Promise.all(nodes.map((node) => node.stop()));
    await database.end();
  }
  return rows;
}

const summarise = ({ sent, failed, slow, slowest_ms, failures }: Reads) => ({
  ...{ sent, failed, slow, slowest_ms },
  ...(failures.length > 0 && { failures }),
});

type FaultResult = {
  fault: string;
  failsReads: Fault["failsReads"];
  connects: Fault["connects"];
  /** How long a client that connects to the primary waited for an outcome, at most. */
  connect_ms: number;
  acknowledged: number;
  load: number;
  nginx: Pick<Reads, "sent" | "failed" | "slow" | "slowest_ms">;
  direct: Pick<Reads, "sent" | "failed" | "slow" | "slowest_ms">;
  write_gap_ms: number;
  unknown_writes: number;
  lost: string[];
  shown_seconds: number;
  went_back_seconds: number;
  inventions: string[];
  problems: string[];
  healthy_after_s: number;
  warnings_per_node: number;
};

const findUnmet = ({ fault, failsReads, connects, connect_ms, nginx, lost, ...rest }: FaultResult): string[] => {
  const { shown_seconds, went_back_seconds, inventions, problems, write_gap_ms } = rest;
  return [
    ...(nginx.failed > 0 && !failsReads ? [`${fault}: ${nginx.failed} reads failed through nginx`] : []),
    ...(lost.length > 0 ? [`${fault}: ${lost.length} writes were lost: ${lost.slice(-5).join(", ")}`] : []),
    ...(shown_seconds > MAX_SHOWN_SECONDS ? [`${fault}: a hidden person was shown for ${shown_seconds} s`] : []),
    ...(went_back_seconds > MAX_SHOWN_SECONDS
      ? [`${fault}: a node went back to an older version for ${went_back_seconds} s`]
      : []),
    ...[...inventions, ...problems].map((problem) => `${fault}: ${problem}`),
    ...(connects && connect_ms > MAX_CONNECT_MS ? [`${fault}: a connection waited for ${connect_ms} ms`] : []),
    ...(write_gap_ms > MAX_GAP_MS ? [`${fault}: no write for ${write_gap_ms} ms`] : []),
  ];
};

/** The table in docs/RELIABILITY.md: the main figures. The result of the proof has all. */
function printTable(rows: readonly FaultResult[], versions: string): string {
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  const cells = (row: FaultResult) => [
    ...[row.fault, row.nginx.sent, row.nginx.failed, row.nginx.slowest_ms, row.direct.failed, row.acknowledged],
    ...[row.lost.length, seconds(row.write_gap_ms), row.shown_seconds, row.healthy_after_s],
  ];
  const head = [
    ...["Fault", "Reads through nginx", "failed", "slowest ms", "Failed directly", "Acknowledged writes"],
    ...["lost", "Longest gap of writes, s", "Hidden person shown, s", "Healthy after, s"],
  ];
  const lines = [head, head.map(() => "---"), ...rows.map(cells)].map((line) => `| ${line.join(" | ")} |`);
  return [printOrigin(), `${versions}, Debian 13.`, "", ...lines, ""].join("\n");
}

/** A holder asks for an erasure. A lock keeps the worker from finishing it. */
async function startErasure(database: Database, { passportId, wallet }: { passportId: number; wallet: TestWallet }) {
  await openHolderRequests(database).enqueue(signRequest(wallet, "erase"));
  const findState = () =>
    queryValue<string>(database, "select state from holder_request where $1 = any (passport_ids)", [passportId]);
  await waitFor("the worker to read the request", findState, (state) => state === "waiting");
  const block = await blockScores(database, passportId);
  await database.query("update holder_request set due_at = now() where $1 = any (passport_ids)", [passportId]);
  await waitFor("the erasure to wait for the lock", block.isBlocking);
  return {
    finish: async () => {
      await block.release();
      const countStored = () =>
        queryValue<number>(database, "select count(*)::int from person where passport_id = $1", [passportId]);
      await waitFor("the erasure", countStored, (count) => count === 0);
      await waitFor("the request to be done", findState, (state) => state === "done");
    },
  };
}

/** A primary with two replicas that follow it, and two ready nodes that read from a replica. */
async function waitUntilHealthy(database: Database, databases: DatabaseCluster, nodes: readonly ProofServer[]) {
  await waitFor("the cluster to be healthy", async () => {
    if ((await databases.findPrimary()) === null) return false;
    const replicas = await queryValue<number>(
      database,
      "select count(*) from pg_stat_replication where state = 'streaming' and application_name like 'db%'",
    ).catch(() => 0);
    if (replicas !== 2) return false;
    const ready = await Promise.all(
      nodes.map(async (node) => {
        const { ok } = await fetch(`${node.address}/health/ready`, { signal: AbortSignal.timeout(2_000) });
        return ok && (await readMetric(node, "credence_replica_used")) === 1;
      }),
    ).catch(() => [false]);
    return ready.every(Boolean);
  });
}
