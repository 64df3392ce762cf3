import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { Terminal } from "#core/terminal/terminal.ts";
import type { Refreshed } from "./refresh-standing.ts";

/**
 * Builds the standing in a child process that runs `credence standing refresh`. A build that runs
 * out of memory or is killed does not affect this process. Returns null when another process is
 * building, or when `signal` ends the build.
 */
export async function refreshInChild(terminal: Terminal, signal: AbortSignal): Promise<Refreshed | null> {
  if (signal.aborted) return null;
  const child = spawn(process.execPath, [...process.execArgv, terminal.program, "standing", "refresh", "--json"], {
    env: terminal.environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  try {
    const [stdout, stderr, [code, killedBy]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close") as Promise<[number | null, string | null]>,
    ]);
    if (signal.aborted) return null;
    // A result of null is printed as well, with a nonzero exit code: do not use the code.
    const result = parseResult(stdout);
    if (result !== undefined) return result;
    throw new Error(`The build of the list ended with ${killedBy ?? code}: ${stderr.trim().slice(-1_000)}`);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function parseResult(stdout: string): Refreshed | null | undefined {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}
