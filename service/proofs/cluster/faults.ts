import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { FakeClock } from "#testing/fake-clock.ts";
import { waitFor } from "../harness.ts";
import type { Managed } from "./machine.ts";
import type { DatabaseCluster } from "./start-cluster.ts";
import { askWithoutCertificate } from "./without-certificate.ts";

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

export type NodeOptions = { environment?: Record<string, string> };

/**
 * With `failsReads`, reads through nginx fail, because there is no second one. With `connects`, who connects to
 * the primary is connected or refused at once.
 */
export type Fault = { name: string; failsReads?: true; connects?: true; run: (parts: Parts) => Promise<void> };

/** The time after which a supervisor starts a process again. */
const RESTART_MS = 2_000;
const FROZEN_MS = 15_000;
/** Longer than the lease of the primary, its ttl of 20 s. */
const OUTLAST_MS = 30_000;
/** Synchronous replication makes every write wait for it. */
const PARTITION_MS = 8_000;

const primaryOf = async ({ databases }: Parts): Promise<number> => {
  await waitFor("a primary", async () => (await databases.findPrimary()) !== null);
  return (await databases.findPrimary()) as number;
};
const replicaOf = async (parts: Parts): Promise<number> => ((await primaryOf(parts)) + 1) % 3;

/** Breaks the primary in a way after which another server must be the primary. */
const replacing = (work: (primary: number, parts: Parts) => Promise<unknown>) => async (parts: Parts) => {
  const primary = await primaryOf(parts);
  await work(primary, parts);
  if ((await primaryOf(parts)) === primary) throw new Error(`db${primary + 1} is still the primary.`);
};

async function killAndRestart(managed: Managed): Promise<void> {
  managed.signal("SIGKILL");
  await delay(RESTART_MS);
  managed.start();
}

async function freeze(signal: (name: NodeJS.Signals) => void, forMs = FROZEN_MS): Promise<void> {
  signal("SIGSTOP");
  await delay(forMs);
  signal("SIGCONT");
}

/** Undoes something after a time. */
async function holding(mend: () => unknown, forMs = FROZEN_MS): Promise<void> {
  await delay(forMs);
  await mend();
}

/** Stops a node as its supervisor would, and starts it again. */
async function restart(parts: Parts, at: number, options?: NodeOptions): Promise<void> {
  const ended = once(parts.node(at), "exit");
  parts.node(at).kill("SIGTERM");
  await ended;
  await parts.restartNode(at, options);
}

/** Runs a node with a wrong clock for a while. */
const withClock = (seconds: number) => async (parts: Parts) => {
  parts.clock.setAhead(seconds);
  await restart(parts, 0, { environment: parts.clock.environment });
  await holding(() => restart(parts, 0));
};

export const FAULTS: readonly Fault[] = [
  { name: "requests without a certificate", run: ({ databases }) => askWithoutCertificate(databases) },
  {
    name: "primary killed",
    run: replacing(async (primary, { databases }) => {
      databases.signalServer(primary, "SIGKILL");
      await delay(FROZEN_MS);
    }),
  },
  {
    name: "primary and its agent killed for 30 s",
    run: replacing(async (primary, { databases }) => {
      const agent = databases.patroni[primary] as Managed;
      agent.signal("SIGKILL");
      databases.signalServer(primary, "SIGKILL");
      await holding(agent.start, OUTLAST_MS);
    }),
  },
  {
    name: "primary frozen for 30 s",
    run: replacing((primary, { databases }) => freeze((name) => databases.signalServer(primary, name), OUTLAST_MS)),
  },
  {
    name: "primary and its agent frozen for 30 s",
    run: replacing((primary, { databases }) =>
      freeze((name) => {
        databases.patroni[primary]?.signal(name);
        databases.signalServer(primary, name);
      }, OUTLAST_MS),
    ),
  },
  {
    name: "machine of the primary cut off from the others for 30 s",
    run: replacing(async (primary, { databases }) => holding(await databases.isolate(primary, "all"), OUTLAST_MS)),
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
    connects: true,
    run: replacing(async (_, { databases }) => {
      await databases.switchOver();
      await delay(FROZEN_MS);
    }),
  },
  {
    name: "node killed",
    run: async ({ node, restartNode }) => {
      node(0).kill("SIGKILL");
      await holding(() => restartNode(0), RESTART_MS);
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
      await holding(() => restartWorker(0), RESTART_MS);
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
    name: "two of three etcd frozen for 30 s",
    run: async ({ databases }) =>
      freeze((name) => {
        for (const member of [0, 1]) databases.etcd[member]?.signal(name);
      }, OUTLAST_MS),
  },
  {
    name: "packets from a node to the primary dropped for 15 s",
    run: async (parts) => holding(await parts.databases.cutOff([await primaryOf(parts)], "DROP")),
  },
  {
    name: "packets from a node to all databases dropped for 15 s",
    run: async ({ databases }) => holding(await databases.cutOff([0, 1, 2], "DROP")),
  },
  {
    name: "connections from a node to all databases reset for 15 s",
    run: async ({ databases }) => holding(await databases.cutOff([0, 1, 2], "REJECT --reject-with tcp-reset")),
  },
  {
    name: "packets from the replicas to the primary dropped for 8 s",
    run: async (parts) => {
      await holding(await parts.databases.isolate(await primaryOf(parts), "replication"), PARTITION_MS);
      await delay(FROZEN_MS);
    },
  },
  {
    name: "disk of the primary full for 15 s",
    run: async (parts) => holding(parts.databases.fillDisk(await primaryOf(parts))),
  },
  {
    name: "certificates replaced, one machine after the other",
    run: ({ databases }) => databases.replaceCertificates(),
  },
  { name: "clock of a node an hour behind", run: withClock(-3_600) },
  { name: "clock of a node an hour ahead", run: withClock(3_600) },
  {
    name: "nodes restarted one after the other",
    run: async (parts) => {
      await restart(parts, 0);
      await holding(() => restart(parts, 1), RESTART_MS);
    },
  },
  {
    name: "databases restarted one after the other",
    run: replacing(async (primary, { databases }) => {
      for (const replica of [(primary + 1) % 3, (primary + 2) % 3]) await databases.restart(replica);
      await databases.switchOver();
      await waitFor("another primary", async () => ![primary, null].includes(await databases.findPrimary()));
      await holding(() => databases.restart(primary), RESTART_MS);
    }),
  },
  {
    name: "the only nginx: its process killed",
    failsReads: true,
    run: async ({ proxyWorkerIds }) => {
      for (const id of proxyWorkerIds()) process.kill(id, "SIGKILL");
    },
  },
];
