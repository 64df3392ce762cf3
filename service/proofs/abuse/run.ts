import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { AttackOrder } from "./attacker.ts";
import type { GoodReport } from "./good-client.ts";
import { measureHitRatio } from "./hit-ratio.ts";
import { findLargestAsset } from "./largest-asset.ts";
import { type LoadProcess, startLoadProcess } from "./load-process.ts";
import type { Counts } from "./raw-connections.ts";
import type { AttackResult } from "./targets.ts";
import { startWatchedServer, type WatchedServer } from "./watched-server.ts";

const LARGEST_PAGE = "/api/v1/passports?per_page=100";
/** The attacker gives way to the good client and the database, which share its core. */
const ATTACKER_NICENESS = 5;
const IDLE_WITHIN_MS = 60_000;
const HIT_RATIO_AFTER = "pages-past-the-end";

/** A server, its attacker and its good client, warmed up. */
export async function startRun(url: string, size: number, hotPaths: readonly string[]) {
  let server: WatchedServer = await startWatchedServer(url);
  let attacker: LoadProcess = startLoadProcess("attacker.ts", ATTACKER_NICENESS);
  const goodClient = startLoadProcess("good-client.ts", 0);
  const largestAsset = await findLargestAsset(server.address);
  const durationMs = Math.max(200, 10_000 * size);
  /** The good client goes on, as work may be left over after an attack. */
  const tailMs = 0.2 * durationMs;
  const memoryWithinMs = 6 * durationMs;
  const waitUntilIdle = () => server.waitUntilIdle(Math.min(500, durationMs), IDLE_WITHIN_MS);

  const beginGood = () =>
    goodClient.ask("begin", {
      ...{ address: server.address, paths: hotPaths, perSecond: 20, readinessEveryMs: Math.min(1_000, durationMs / 2) },
    });
  const endGood = () => goodClient.ask<GoodReport>("end");
  const order = (name: string): AttackOrder => ({
    ...{ name, size, port: Number(new URL(server.address).port), durationMs },
    ...{ largestPage: LARGEST_PAGE, largestAsset, hotPaths },
  });
  const attackOnce = (name: string): Promise<Counts | null> =>
    // Rejected when the attacker is killed.
    attacker.ask<Counts>("run", order(name)).catch(() => null);
  const replaceAttacker = async () => {
    await attacker.stop();
    attacker = startLoadProcess("attacker.ts", ATTACKER_NICENESS);
  };

  /** Until nothing is left to do, and then until memory is given back, which V8 does after some idle seconds. */
  async function settle(before: number): Promise<{ idle: boolean; seconds: number }> {
    const started = performance.now();
    const idle = await waitUntilIdle();
    const isBack = () => !server.isRunning() || server.memoryMiB() <= before * 1.1;
    while (!isBack() && performance.now() - started < memoryWithinMs) await delay(100);
    return { idle, seconds: Math.round((performance.now() - started) / 100) / 10 };
  }

  async function warmUp(): Promise<void> {
    await beginGood();
    for (const name of ["pipelined-lookups", "largest-page-read", "pages-past-the-end"]) {
      await attacker.ask<Counts>("run", { ...order(name), size: size / 10, durationMs: durationMs / 4 });
    }
    const { failures, reasons } = await endGood();
    assert.equal(failures, 0, `look-ups fail without an attack: ${JSON.stringify(reasons)}`);
    await waitUntilIdle();
  }
  async function replaceServer(): Promise<void> {
    server.process.kill("SIGKILL");
    await server.stop();
    server = await startWatchedServer(url);
    await warmUp();
  }
  await warmUp();

  return {
    largestAsset,
    rest: async (): Promise<GoodReport> => {
      await beginGood();
      await delay(1.5 * durationMs);
      return endGood();
    },
    attack: async (name: string, what: string): Promise<Omit<AttackResult, "not_met">> => {
      const before = server.memoryMiB();
      const stopWatching = server.watchMemory(() => void attacker.stop());
      await beginGood();
      const counts = await attackOnce(name);
      if (counts === null) await replaceAttacker();
      await delay(tailMs);
      const good = await endGood();
      // Before the entries expire.
      const hits = name === HIT_RATIO_AFTER && server.isRunning() ? await measureHitRatio(server, hotPaths) : null;
      const { idle, seconds } = await settle(before);
      const during = stopWatching();
      const died = !server.isRunning();
      const after = server.memoryMiB();
      if (died || !idle) await replaceServer();
      const memory_mib = { before, during, after };
      const outcome = died ? "died" : idle ? null : "not idle again";
      return { name, what, attacker: counts, good, memory_mib, settled_seconds: seconds, server: outcome, hits };
    },
    stop: async () => {
      await Promise.all([attacker.stop(), goodClient.stop(), server.stop()]);
    },
  };
}
