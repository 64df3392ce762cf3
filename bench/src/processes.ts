import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { fileURLToPath } from "node:url";
import packageJson from "../package.json" with { type: "json" };

// The processes of a run: starts them, pins them to cores, and reads their CPU time and memory.

/** Only the measured server runs on this core; wrk and PostgreSQL run on the others. */
const MEASURED_CORE = "0";
export const ALL_CORES = `0-${availableParallelism() - 1}`;
export const OTHER_CORES = availableParallelism() > 1 ? `1-${availableParallelism() - 1}` : "0";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const CREDENCE = `${ROOT}node_modules/.bin/credence`;

function start(command: string, args: readonly string[], environment: Record<string, string>): ChildProcess {
  // biome-ignore lint/style/noProcessEnv: the child process needs PATH.
  return spawn(command, args, { env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"] });
}

/** Runs a command and throws unless it exits with 0. */
export async function run(
  command: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<{ stdout: string; stderr: string }> {
  const child = start(command, args, environment);
  const output = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => (output.stdout += chunk));
  child.stderr?.on("data", (chunk) => (output.stderr += chunk));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.on("error", (error: NodeJS.ErrnoException) =>
    reject(error.code === "ENOENT" ? new Error(`${command} is not installed.`) : error),
  );
  child.on("close", resolve);
  if ((await promise) !== 0) throw new Error(`${command} ${args.join(" ")}\n${output.stdout}${output.stderr}`);
  return output;
}

export const credence = (args: readonly string[], databaseUrl: string) =>
  run("taskset", ["-c", ALL_CORES, CREDENCE, ...args], { DATABASE_URL: databaseUrl, NO_COLOR: "1" });

export type Server = { address: string; privateAddress: string; pid: number; stop: () => Promise<void> };

/** Starts a server on the measured core and waits for the log line with its addresses. */
export async function startServer(args: readonly string[], environment: Record<string, string> = {}): Promise<Server> {
  const child = start("taskset", ["-c", MEASURED_CORE, ...args], environment);
  const { promise, resolve, reject } = Promise.withResolvers<{ address: string; privateAddress: string }>();
  let output = "";
  let isListening = false;
  child.stdout?.on("data", (chunk) => {
    // Later output is read, so that the pipe does not fill, and discarded.
    if (isListening) return;
    output += chunk;
    const line = output.split("\n").find((text) => text.includes('"serving"') && text.endsWith("}"));
    if (line === undefined) return;
    isListening = true;
    resolve(JSON.parse(line));
  });
  child.stderr?.on("data", (chunk) => (output += chunk));
  child.on("close", () => reject(new Error(`The server exited: ${output}`)));
  const { address, privateAddress } = await promise;
  const stop = async () => {
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    await closed;
  };
  return { address, privateAddress, pid: child.pid as number, stop };
}

export const serve = (databaseUrl: string, environment: Record<string, string>): Promise<Server> =>
  startServer([CREDENCE, "serve"], {
    DATABASE_URL: databaseUrl,
    RATE_LIMIT_ANONYMOUS: "0",
    RATE_LIMIT_KEYS: "0",
    // The whole load comes from one address, and searches of a burst wait on their connections.
    MAX_CONNECTIONS_PER_ADDRESS: "10000",
    PORT: "0",
    PRIVATE_PORT: "0",
    DRAIN_DELAY: "0s",
    ...environment,
  });

/** The CPU time of a process so far, in microseconds. Zero if the process has ended. */
export function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // Fields 14 and 15 (utime and stime), in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return 0;
  }
}

export function residentMiB(pid: number): number {
  const [, kib = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) / 1_024;
}

/** Logs the progress of a run to standard error. */
export function log(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

/** Shows the last line of a text in place of the current line. Terminals only. */
export function logProgress(text: string): void {
  const lines = text.trim().split(/[\r\n]/);
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${lines.at(-1)}`);
}

/** The version of Credence and the processor, for results. */
export const describeMachine = (): string =>
  `Credence ${packageJson.version} on ${cpus().length} cores (${cpus()[0]?.model})`;
