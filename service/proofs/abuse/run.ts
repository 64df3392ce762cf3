import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { VARIABLES } from "#core/config/variables.ts";
import { startProxy } from "#testing/proxy.ts";
import { refuseOverload, waitFor } from "../harness.ts";
import type { AttackOrder } from "./attacker.ts";
import { WARM_UP_NETWORK } from "./attacks.ts";
import { startControl } from "./control.ts";
import type { GoodOptions, GoodReport } from "./good-client.ts";
import { findLargestAsset } from "./largest-asset.ts";
import { type LoadProcess, SERVER_CORE, startLoadProcess } from "./load-process.ts";
import type { Lookups } from "./people.ts";
import type { Counts } from "./raw-connections.ts";
import type { Round } from "./targets.ts";
import { readMemoryMiB, startWatchedServer, type WatchedServer } from "./watched-server.ts";

/** The defaults, which proofs of other properties switch off. */
const ENVIRONMENT = {
  ...{ RATE_LIMIT_ANONYMOUS: VARIABLES.RATE_LIMIT_ANONYMOUS, RATE_LIMIT_KEYS: VARIABLES.RATE_LIMIT_KEYS },
  ...{ RATE_LIMIT_EXEMPT: `${WARM_UP_NETWORK}.0.0/16`, TRUSTED_PROXIES: "127.0.0.1/32" },
};

const LARGEST_PAGE = "/api/v1/passports?per_page=100";
const LIST_PATHS = [
  ...Array.from({ length: 20 }, (_, index) => `/api/v1/passports?page=${5 + index}`),
  ...["anna", "maria", "olsen", "ivan", "chen"].map((keyword) => `/api/v1/passports?keyword=${keyword}`),
];
/** Lower priority than the good client and the database, which share the core. */
const ATTACKER_NICENESS = 5;
const IDLE_WITHIN_MS = 60_000;
const ROUND_MS = 3_000;

export type RunOptions = { url: string; folder: string; size: number; lookups: Lookups; key: string };

/** Starts a server behind nginx with the files of deploy/nginx, an attacker, a control and a good client, and warms the server up. */
export async function startRun({ url, folder, size, lookups: { hot: hotPaths, all: allPaths }, key }: RunOptions) {
  let server: WatchedServer = await startWatchedServer(url, ENVIRONMENT);
  const proxy = await startProxy(join(folder, "nginx"), [server.address]);
  await waitFor("a process of nginx", () => proxy.workerIds().length > 0);
  for (const id of proxy.workerIds()) execFileSync("taskset", ["-cp", SERVER_CORE, String(id)]);
  const address = `https://127.0.0.1:${proxy.port}`;
  let lostBefore = 0;
  let attacker: LoadProcess = startLoadProcess("attacker.ts", ATTACKER_NICENESS);
  const goodClient = startLoadProcess("good-client.ts", 0);
  const control = await startControl();
  const largestAsset = await findLargestAsset(server.address);
  const durationMs = Math.max(200, ROUND_MS * size);
  /** The good client continues after an attack, because the server may still be busy. */
  const tailMs = 0.2 * durationMs;
  const memoryWithinMs = 6 * durationMs;
  const waitUntilIdle = () => server.waitUntilIdle(Math.min(500, durationMs / 2), IDLE_WITHIN_MS);
  const proxyMemoryMiB = (): number => proxy.workerIds().reduce((sum, id) => sum + readMemoryMiB(id), 0);

  const beginGood = () => {
    const everyMs = Math.min(1_000, durationMs / 2);
    const options: GoodOptions = {
      ...{ address, controlAddress: control.address, key, paths: hotPaths, listPaths: LIST_PATHS },
      ...{ perSecond: 20, readinessEveryMs: everyMs },
    };
    return goodClient.call("begin", options);
  };
  const endGood = () => goodClient.call<GoodReport>("end");
  const attackWith = (name: string, target = address): Promise<Counts> => {
    const { port, protocol } = new URL(target);
    const paths = { largestPage: LARGEST_PAGE, largestAsset, hotPaths, allPaths };
    const order: AttackOrder = { name, size, durationMs, port: Number(port), isTls: protocol === "https:", ...paths };
    return attacker.call<Counts>("run", order);
  };
  const replaceAttacker = async () => {
    await attacker.stop();
    attacker = startLoadProcess("attacker.ts", ATTACKER_NICENESS);
  };

  async function warmUp(): Promise<void> {
    await beginGood();
    await attackWith("warm-up", server.address);
    const { failures, reasons } = await endGood();
    // A busy machine, not an attack.
    if ("status 503" in reasons) refuseOverload(503, "a look-up");
    assert.equal(failures, 0, `look-ups fail without an attack: ${JSON.stringify(reasons)}`);
    await waitUntilIdle();
  }
  async function replaceServer(): Promise<void> {
    const { port } = new URL(server.address);
    server.process.kill("SIGKILL");
    await server.stop();
    lostBefore += server.countLostNotices();
    server = await startWatchedServer(url, { ...ENVIRONMENT, PORT: port });
    await warmUp();
  }
  /** Measures for a while. `act` is what happens meanwhile. */
  async function measure(
    act: () => Promise<Counts | null>,
  ): Promise<Omit<Round, "memory_mib" | "proxy_mib" | "stopped" | "server">> {
    const stealBefore = readStealMs();
    await beginGood();
    const attackerCounts = await act();
    await delay(tailMs);
    const good = await endGood();
    return { good, attacker: attackerCounts, steal_ms: readStealMs() - stealBefore };
  }
  await warmUp();

  return {
    largestAsset,
    countLostNotices: () => lostBefore + server.countLostNotices(),
    measureIdle: () =>
      measure(async () => {
        await delay(1.5 * durationMs);
        return null;
      }),
    attack: async (name: string): Promise<Round> => {
      let stopped = false;
      const before = server.memoryMiB();
      const stopWatching = server.watchMemory(() => {
        stopped = true;
        void attacker.stop();
      });
      // The call is rejected if the attacker is stopped.
      const measured = await measure(() => attackWith(name).catch(() => null));
      const idle = await waitUntilIdle();
      const during = stopWatching();
      const outcome = !server.isRunning() ? "died" : idle ? null : "not idle again";
      if (stopped || measured.attacker === null) await replaceAttacker();
      if (outcome !== null) await replaceServer();
      return { ...measured, stopped, memory_mib: { before, during }, proxy_mib: proxyMemoryMiB(), server: outcome };
    },
    /** V8 frees memory after some idle seconds. */
    settle: async (before: number): Promise<number> => {
      const started = performance.now();
      while (server.memoryMiB() > before * 1.1 && performance.now() - started < memoryWithinMs) await delay(100);
      return server.memoryMiB();
    },
    stop: async () => {
      await Promise.all([attacker.stop(), goodClient.stop(), control.stop(), proxy.stop()]);
      await server.stop();
    },
  };
}

/** The time that other virtual machines took from this one. Linux counts it in units of 10 ms. */
function readStealMs(): number {
  const [total = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  return 10 * Number(total.trim().split(/\s+/)[8] ?? 0);
}
