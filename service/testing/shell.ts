import { type ChildProcess, spawn } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { urlOf } from "./server.ts";
import { whenDone } from "./when-done.ts";

const BIN = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));

type ShellRun = { code: number | null; output: string };
export type Shell = { process: ChildProcess; output: () => string; ended: Promise<ShellRun> };

/** Starts a shell script with `credence` on PATH and a default server for psql. */
export function startShell(script: string, cwd: string, environment: Record<string, string>): Shell {
  const server = new URL(urlOf("postgres"));
  const env = {
    // biome-ignore lint/style/noProcessEnv: a child needs PATH and the like.
    ...process.env,
    // biome-ignore lint/style/noProcessEnv: a child needs PATH.
    PATH: `${BIN}:${dirname(process.execPath)}:${process.env.PATH}`,
    PGHOST: server.hostname,
    PGPORT: server.port || "5432",
    PGUSER: server.username,
    PGDATABASE: "postgres",
    NO_COLOR: "1",
    NODES: "none",
    ...environment,
  };
  const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const { promise: ended, resolve } = Promise.withResolvers<ShellRun>();
  child.on("close", (code) => resolve({ code, output }));
  whenDone(() => stopShell(child));
  return { process: child, output: () => output, ended };
}

/** Stops a script and all of its child processes. */
export function stopShell({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGTERM");
  } catch {
    // The script has already ended.
  }
}
