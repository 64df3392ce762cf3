import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { FakeClock } from "#testing/fake-clock.ts";
import { waitFor } from "../harness.ts";
import type { DatabaseCluster, Managed } from "./start-cluster.ts";

/** What a fault can break. */
export type Parts = {
  databases: DatabaseCluster;
  node: (at: number) => ChildProcess;
  restartNode: (at: number, options?: NodeOptions) => Promise<void>;
  /** A clock for processes that are started with its environment. */
  clock: FakeClock;
  worker: (at: number) => ChildProcess;
  restartWorker: (at: number) => void;
  /** The processes of nginx that handle requests. The main process starts them again. */
  proxyWorkerIds: () => number[];
  /** Has a holder ask for an erasure that a worker cannot finish. `finish` lets one, and waits until the record is gone. */
  startErasure: () => Promise<{ finish: () => Promise<void> }>;
};

export type NodeOptions = { environment?: Record<string, string>; args?: readonly string[] };

/** With `failsReads`, reads through nginx fail, because there is no second one. */
export type Fault = { name: string; failsReads?: true; run: (parts: Parts) => Promise<void> };

/** The time after which a supervisor starts a process again. */
const RESTART_MS = 2_000;
const FROZEN_MS = 15_000;
/** Synchronous replication makes every write wait for it. */
const PARTITION_MS = 8_000;

const primaryOf = async ({ databases }: Parts): Promise<number> => {
  await waitFor("a primary", async () => (await databases.findPrimary()) !== null);
  return (await databases.findPrimary()) as number;
};
const replicaOf = async (parts: Parts): Promise<number> => ((await primaryOf(parts)) + 1) % 3;

async function killAndRestart(managed: Managed): Promise<void> {
  managed.signal("SIGKILL");
  await delay(RESTART_MS);
  managed.start();
}

async function freeze(signal: (name: NodeJS.Signals) => void): Promise<void> {
  signal("SIGSTOP");
  await delay(FROZEN_MS);
  signal("SIGCONT");
  await delay(RESTART_MS);
}

/** Stops a node as its supervisor would, and starts it again. */
async function restart(parts: Parts, at: number, options?: NodeOptions): Promise<void> {
  const ended = once(parts.node(at), "exit");
  parts.node(at).kill("SIGTERM");
  await ended;
  await parts.restartNode(at, options);
}

async function whileCut(parts: Parts, members: readonly number[], how: "drop" | "reset" = "drop"): Promise<void> {
  const mend = parts.databases.cutOff(members, how);
  await delay(FROZEN_MS);
  mend();
  await delay(RESTART_MS);
}

/** Runs a node with a wrong clock for a while. */
async function whileWrong(parts: Parts, seconds: number): Promise<void> {
  parts.clock.setAhead(seconds);
  await restart(parts, 0, { environment: parts.clock.environment });
  await delay(FROZEN_MS);
  await restart(parts, 0);
}

export const FAULTS: readonly Fault[] = [
  {
    name: "primary killed",
    run: async (parts) => {
      parts.databases.signalServer(await primaryOf(parts), "SIGKILL");
      await delay(FROZEN_MS);
    },
  },
  {
    name: "primary and its agent killed",
    run: async (parts) => {
      const primary = await primaryOf(parts);
      const agent = parts.databases.patroni[primary] as Managed;
      agent.signal("SIGKILL");
      parts.databases.signalServer(primary, "SIGKILL");
      await delay(FROZEN_MS);
      agent.start();
      await delay(RESTART_MS);
    },
  },
  {
    name: "primary frozen for 15 s",
    run: async (parts) => {
      const primary = await primaryOf(parts);
      await freeze((name) => parts.databases.signalServer(primary, name));
    },
  },
  {
    name: "primary and its agent frozen for 15 s",
    run: async (parts) => {
      const primary = await primaryOf(parts);
      await freeze((name) => {
        parts.databases.patroni[primary]?.signal(name);
        parts.databases.signalServer(primary, name);
      });
    },
  },
  {
    name: "replica killed",
    run: async (parts) => {
      parts.databases.signalServer(await replicaOf(parts), "SIGKILL");
      await delay(FROZEN_MS);
    },
  },
  {
    name: "replica frozen for 15 s",
    run: async (parts) => {
      const replica = await replicaOf(parts);
      await freeze((name) => parts.databases.signalServer(replica, name));
    },
  },
  {
    name: "switchover",
    run: async ({ databases }) => {
      await databases.switchOver();
      await delay(FROZEN_MS);
    },
  },
  {
    name: "node killed",
    run: async ({ node, restartNode }) => {
      node(0).kill("SIGKILL");
      await delay(RESTART_MS);
      await restartNode(0);
    },
  },
  { name: "node frozen for 15 s", run: async ({ node }) => freeze((name) => void node(0).kill(name)) },
  {
    name: "HAProxy of a node killed",
    run: async ({ databases }) => killAndRestart(databases.haproxies[1] as Managed),
  },
  {
    name: "node cut off from all databases for 15 s",
    run: async ({ databases }) => freeze((name) => databases.haproxies[1]?.signal(name)),
  },
  {
    name: "worker killed",
    run: async ({ worker, restartWorker }) => {
      worker(0).kill("SIGKILL");
      await delay(RESTART_MS);
      restartWorker(0);
    },
  },
  {
    name: "workers killed during a holder's erasure",
    run: async ({ worker, restartWorker, startErasure }) => {
      const { finish } = await startErasure();
      for (const at of [0, 1]) worker(at).kill("SIGKILL");
      await delay(RESTART_MS);
      for (const at of [0, 1]) restartWorker(at);
      await finish();
    },
  },
  {
    name: "leader of etcd killed",
    run: async ({ databases }) => {
      const leader = await databases.findEtcdLeader();
      await killAndRestart(databases.etcd[leader ?? 0] as Managed);
      await delay(FROZEN_MS);
    },
  },
  {
    name: "two of three etcd frozen for 15 s",
    run: async ({ databases }) =>
      freeze((name) => {
        for (const member of [0, 1]) databases.etcd[member]?.signal(name);
      }),
  },
  {
    name: "packets from a node to the primary dropped for 15 s",
    run: async (parts) => whileCut(parts, [await primaryOf(parts)]),
  },
  { name: "packets from a node to all databases dropped for 15 s", run: (parts) => whileCut(parts, [0, 1, 2]) },
  {
    name: "connections from a node to all databases reset for 15 s",
    run: (parts) => whileCut(parts, [0, 1, 2], "reset"),
  },
  {
    name: "packets from the replicas to the primary dropped for 8 s",
    run: async (parts) => {
      const mend = parts.databases.cutOffReplicas(await primaryOf(parts));
      await delay(PARTITION_MS);
      mend();
      await delay(FROZEN_MS);
    },
  },
  {
    name: "disk of the primary full for 15 s",
    run: async (parts) => {
      const empty = parts.databases.fillDisk(await primaryOf(parts));
      await delay(FROZEN_MS);
      empty();
      await delay(RESTART_MS);
    },
  },
  { name: "clock of a node an hour behind", run: (parts) => whileWrong(parts, -3_600) },
  { name: "clock of a node an hour ahead", run: (parts) => whileWrong(parts, 3_600) },
  {
    name: "nodes restarted one after the other",
    run: async (parts) => {
      for (const at of [0, 1]) {
        await restart(parts, at);
        await delay(RESTART_MS);
      }
    },
  },
  {
    name: "databases restarted one after the other",
    run: async (parts) => {
      const primary = await primaryOf(parts);
      for (const replica of [(primary + 1) % 3, (primary + 2) % 3]) await parts.databases.restart(replica);
      await parts.databases.switchOver();
      await waitFor("another primary", async () => ![primary, null].includes(await parts.databases.findPrimary()));
      await delay(RESTART_MS);
      await parts.databases.restart(primary);
      await delay(RESTART_MS);
    },
  },
  {
    name: "the only nginx: its process killed",
    failsReads: true,
    run: async ({ proxyWorkerIds }) => {
      for (const id of proxyWorkerIds()) process.kill(id, "SIGKILL");
      await delay(RESTART_MS);
    },
  },
];
