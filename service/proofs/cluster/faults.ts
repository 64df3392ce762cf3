import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { waitFor } from "../harness.ts";
import type { DatabaseCluster, Managed } from "./start-cluster.ts";

/** What a fault can break. */
export type Parts = {
  databases: DatabaseCluster;
  node: (at: number) => ChildProcess;
  restartNode: (at: number) => Promise<void>;
  worker: (at: number) => ChildProcess;
  restartWorker: (at: number) => void;
};

export type Fault = { name: string; run: (parts: Parts) => Promise<void> };

/** The time after which a supervisor starts a process again. */
const RESTART_MS = 2_000;
const FROZEN_MS = 15_000;

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
];
