import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type ProofServer, startServer } from "../harness.ts";
import { SERVER_CORE } from "./load-process.ts";

// The server under attack, with measurements of its memory and CPU time.

const WATCH_EVERY_MS = 50;
/** Above `attack`, the attack is stopped. Above `server`, the server is killed. */
const MAX_MIB = { attack: 3_072, server: 8_192 };
/** The share of a core, over one window, below which the server is idle. */
const IDLE_SHARE = 0.06;

export type WatchedServer = ProofServer & {
  memoryMiB: () => number;
  isRunning: () => boolean;
  /** Watches the memory. The returned function stops watching and returns the peak. */
  watchMemory: (onTooMuch: () => void) => () => number;
  /** Waits until the server is idle for a window of time. Returns false on a timeout. */
  waitUntilIdle: (windowMs: number, withinMs: number) => Promise<boolean>;
  /** How often the server lost its connection for notices, as far as it knows. */
  countLostNotices: () => number;
};

export async function startWatchedServer(
  url: string,
  environment: Record<string, string> = {},
): Promise<WatchedServer> {
  const server = await startServer(url, environment, SERVER_CORE);
  const { pid } = server.process;
  let lostNotices = 0;
  server.process.stdout?.on("data", (chunk) => {
    lostNotices += String(chunk).split("no change notices from the primary").length - 1;
  });
  const isRunning = () => server.process.exitCode === null && server.process.signalCode === null;
  const memoryMiB = () => readMemoryMiB(pid);
  return {
    ...server,
    memoryMiB,
    isRunning,
    countLostNotices: () => lostNotices,
    watchMemory: (onTooMuch) => {
      let peak = memoryMiB();
      let reported = false;
      const timer = setInterval(() => {
        const now = memoryMiB();
        peak = Math.max(peak, now);
        if (now > MAX_MIB.attack && !reported) onTooMuch();
        reported ||= now > MAX_MIB.attack;
        if (now > MAX_MIB.server) server.process.kill("SIGKILL");
      }, WATCH_EVERY_MS);
      return () => {
        clearInterval(timer);
        return peak;
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
  };
}

/** The resident memory of a process. */
export function readMemoryMiB(pid: number | undefined): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readProcess(pid, "status"))?.[1] ?? 0) / 1_024);
}

/** Returns the user and system time so far. Linux counts it in units of 10 ms. */
export function readCpuMs(pid: number | undefined): number {
  const fields = readProcess(pid, "stat").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10;
}

/** Returns an empty string if the process has ended. */
function readProcess(pid: number | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
