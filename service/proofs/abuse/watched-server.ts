import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type ProofServer, startServer } from "../ground.ts";
import { SERVER_CORE } from "./load-process.ts";

// The server under attack: how much memory and processor time it takes, and whether it is still there.

const WATCH_EVERY_MS = 50;
/** Past the first, the attack is stopped; past the second, the server, for the sake of the machine. */
const MOST_MIB = { attack: 3_072, server: 8_192 };
/** Of a core, over one window. */
const IDLE_SHARE = 0.06;

export type WatchedServer = ProofServer & {
  memoryMiB: () => number;
  isRunning: () => boolean;
  /** Watches memory until stopped, and returns the most there was. */
  watchMemory: (onTooMuch: () => void) => () => number;
  /** Waits until the server hardly uses its core over a window of time. False if that takes too long. */
  waitUntilIdle: (windowMs: number, withinMs: number) => Promise<boolean>;
  readCacheCounts: () => Promise<{ hit: number; miss: number }>;
};

export async function startWatchedServer(
  url: string,
  environment: Record<string, string> = {},
): Promise<WatchedServer> {
  const server = await startServer(url, environment, SERVER_CORE);
  const { pid } = server.process;
  const isRunning = () => server.process.exitCode === null && server.process.signalCode === null;
  const memoryMiB = () => Math.round(readStatusKib(pid) / 1_024);
  return {
    ...server,
    memoryMiB,
    isRunning,
    watchMemory: (onTooMuch) => {
      let most = memoryMiB();
      let reported = false;
      const timer = setInterval(() => {
        const now = memoryMiB();
        most = Math.max(most, now);
        if (now > MOST_MIB.attack && !reported) onTooMuch();
        reported ||= now > MOST_MIB.attack;
        if (now > MOST_MIB.server) server.process.kill("SIGKILL");
      }, WATCH_EVERY_MS);
      return () => {
        clearInterval(timer);
        return most;
      };
    },
    waitUntilIdle: async (windowMs, withinMs) => {
      const started = performance.now();
      while (isRunning() && performance.now() - started < withinMs) {
        const before = readCpuMs(pid);
        await delay(windowMs);
        if (readCpuMs(pid) - before <= Math.max(10, IDLE_SHARE * windowMs)) return true;
      }
      return false;
    },
    readCacheCounts: async () => {
      const metrics = await (await fetch(`${server.privateAddress}/metrics`)).text();
      const read = (result: string): number =>
        Number(new RegExp(`^credence_cache_requests_total\\{result="${result}"\\} (\\S+)$`, "m").exec(metrics)?.[1]);
      return { hit: read("hit"), miss: read("miss") };
    },
  };
}

function readStatusKib(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readProcess(pid, "status"))?.[1] ?? 0);
}

/** User and system time so far, which Linux counts in hundredths of a second. */
function readCpuMs(pid: number | undefined): number {
  const fields = readProcess(pid, "stat").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10;
}

/** Empty once the process is gone. */
function readProcess(pid: number | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
