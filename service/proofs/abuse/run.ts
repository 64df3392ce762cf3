import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { AttackOrder } from "./attacker.ts";
import type { GoodReport } from "./good-client.ts";
import { type HitRatio, measureHitRatio } from "./hit-ratio.ts";
import { findLargestAsset } from "./largest-asset.ts";
import { type LoadProcess, startLoadProcess } from "./load-process.ts";
import type { Lookups } from "./people.ts";
import type { Counts } from "./raw-connections.ts";
import type { AttackResult } from "./targets.ts";
import { startWatchedServer, type WatchedServer } from "./watched-server.ts";

/** The defaults, which proofs of other properties switch off. */
const LIMITED = { RATE_LIMIT_ANONYMOUS: "250", RATE_LIMIT_KEYS: "2500" };

const LARGEST_PAGE = "/api/v1/passports?per_page=100";
/** Lower priority than the good client and the database, which share the core. */
const ATTACKER_NICENESS = 5;
const IDLE_WITHIN_MS = 60_000;

/** Starts a server, an attacker and a good client, and warms the server up. */
export async function startRun(url: string, size: number, { hot: hotPaths, all: allPaths }: Lookups) {
  let server: WatchedServer = await startWatchedServer(url, LIMITED);
  let warm = 0;
  let attacker: LoadProcess = startLoadProcess("attacker.ts", ATTACKER_NICENESS);
  const goodClient = startLoadProcess("good-client.ts", 0);
  const largestAsset = await findLargestAsset(server.address);
  const durationMs = Math.max(200, 10_000 * size);
  /** The good client continues after an attack, because the server may still be busy. */
  const tailMs = 0.2 * durationMs;
  const memoryWithinMs = 6 * durationMs;
  const waitUntilIdle = () => server.waitUntilIdle(Math.min(500, durationMs / 2), IDLE_WITHIN_MS);

  const beginGood = () =>
    goodClient.call("begin", {
      address: server.address,
      paths: hotPaths,
      perSecond: 20,
      readinessEveryMs: Math.min(1_000, durationMs / 2),
    });
  const endGood = () => goodClient.call<GoodReport>("end");
  const attackWith = (name: string, address: string): Promise<Counts> => {
    const port = Number(new URL(address).port);
    const paths = { largestPage: LARGEST_PAGE, largestAsset, hotPaths, allPaths };
    const order: AttackOrder = { name, size, port, durationMs, ...paths };
    return attacker.call<Counts>("run", order);
  };
  const replaceAttacker = async () => {
    await attacker.stop();
    attacker = startLoadProcess("attacker.ts", ATTACKER_NICENESS);
  };

  /** Waits until the server is idle. V8 frees memory after some more idle seconds. */
  async function settle(before: number): Promise<{ idle: boolean; seconds: number }> {
    const started = performance.now();
    const idle = await waitUntilIdle();
    const isBack = () => !server.isRunning() || server.memoryMiB() <= before * 1.1;
    while (!isBack() && performance.now() - started < memoryWithinMs) await delay(100);
    return { idle, seconds: Math.round((performance.now() - started) / 100) / 10 };
  }

  async function warmUp(): Promise<void> {
    await beginGood();
    await attackWith("warm-up", server.address);
    const { failures, reasons } = await endGood();
    assert.equal(failures, 0, `look-ups fail without an attack: ${JSON.stringify(reasons)}`);
    await waitUntilIdle();
    warm = server.memoryMiB();
  }
  async function replaceServer(): Promise<void> {
    server.process.kill("SIGKILL");
    await server.stop();
    server = await startWatchedServer(url, LIMITED);
    await warmUp();
  }
  await warmUp();

  return {
    largestAsset,
    measureIdle: async (): Promise<GoodReport> => {
      await beginGood();
      await delay(1.5 * durationMs);
      return endGood();
    },
    attack: async (name: string, description: string): Promise<Omit<AttackResult, "not_met">> => {
      const before = server.memoryMiB();
      let stopped = false;
      const stopWatching = server.watchMemory(() => {
        stopped = true;
        void attacker.stop();
      });
      await beginGood();
      // The call is rejected if the attacker is stopped.
      const counts = await attackWith(name, server.address).catch(() => null);
      await delay(tailMs);
      const good = await endGood();
      const { idle, seconds } = await settle(before);
      const memory_mib = { warm, before, during: stopWatching(), after: server.memoryMiB() };
      const outcome = !server.isRunning() ? "died" : idle ? null : "not idle again";
      if (stopped || counts === null) await replaceAttacker();
      if (outcome !== null) await replaceServer();
      const measured = { attacker: counts, stopped, good, memory_mib, settled_seconds: seconds };
      return { name, description, ...measured, server: outcome };
    },
    measureCache: (): Promise<HitRatio> =>
      measureHitRatio(url, allPaths, (address) => attackWith("pages-past-the-end", address)),
    stop: async () => {
      await Promise.all([attacker.stop(), goodClient.stop(), server.stop()]);
    },
  };
}
