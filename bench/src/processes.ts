import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

// Processes of a run: started, pinned to cores, and asked how much of a core they took.

/** What is measured has a core of its own; whoever loads it, and the database, have the others. */
const MEASURED_CORE = "0";
export const ALL_CORES = `0-${availableParallelism() - 1}`;
export const OTHER_CORES = availableParallelism() > 1 ? `1-${availableParallelism() - 1}` : "0";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const CREDENCE = `${ROOT}node_modules/.bin/credence`;

export type Run = { code: number | null; stdout: string; stderr: string; seconds: number };

function start(command: string, args: readonly string[], environment: Record<string, string> = {}): ChildProcess {
  // biome-ignore lint/style/noProcessEnv: a child needs PATH and the like.
  return spawn(command, args, { env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"] });
}

/** Runs a command to its end, which must be a good one. */
export async function run(
  command: string,
  args: readonly string[],
  environment: Record<string, string> = {},
  onStderr: (text: string) => void = () => {},
): Promise<Run> {
  const started = performance.now();
  const child = start(command, args, environment);
  const result: Run = { code: null, stdout: "", stderr: "", seconds: 0 };
  child.stdout?.on("data", (chunk) => (result.stdout += chunk));
  child.stderr?.on("data", (chunk) => {
    result.stderr += chunk;
    onStderr(String(chunk));
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.on("error", (error: NodeJS.ErrnoException) =>
    reject(error.code === "ENOENT" ? new Error(`${command} is not installed.`) : error),
  );
  child.on("close", resolve);
  result.code = await promise;
  result.seconds = (performance.now() - started) / 1_000;
  if (result.code !== 0) throw new Error(`${command} ${args.join(" ")}\n${result.stdout}${result.stderr}`);
  return result;
}

export const credence = (args: readonly string[], databaseUrl: string, onStderr?: (text: string) => void) =>
  run("taskset", ["-c", ALL_CORES, CREDENCE, ...args], { DATABASE_URL: databaseUrl, NO_COLOR: "1" }, onStderr);

export type Server = { address: string; privateAddress: string; pid: number; stop: () => Promise<void> };

/** Starts a server on the measured core and waits for its line that says where it listens. */
export async function startServer(args: readonly string[], environment: Record<string, string> = {}): Promise<Server> {
  const child = start("taskset", ["-c", MEASURED_CORE, ...args], environment);
  const { promise, resolve, reject } = Promise.withResolvers<{ address: string; privateAddress: string }>();
  let said = "";
  let found = false;
  child.stdout?.on("data", (chunk) => {
    // What is logged from then on is read, and forgotten.
    if (found) return;
    said += chunk;
    const line = said.split("\n").find((text) => text.includes('"serving"') && text.endsWith("}"));
    if (line === undefined) return;
    found = true;
    resolve(JSON.parse(line));
  });
  child.stderr?.on("data", (chunk) => (said += chunk));
  child.on("close", () => reject(new Error(`A server ended: ${said}`)));
  const { address, privateAddress } = await promise;
  const stop = async () => {
    const closed = new Promise((done) => child.once("close", done));
    child.kill("SIGTERM");
    await closed;
  };
  return { address, privateAddress, pid: child.pid as number, stop };
}

export const serve = (databaseUrl: string, environment: Record<string, string>): Promise<Server> =>
  startServer([CREDENCE, "serve"], {
    DATABASE_URL: databaseUrl,
    PORT: "0",
    PRIVATE_PORT: "0",
    DRAIN_DELAY: "0s",
    ...environment,
  });

/** Processor time a process has used so far, in microseconds. Zero once it is gone. */
export function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // Fields 14 and 15, in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return 0;
  }
}

export function residentMiB(pid: number): number {
  const [, kib = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) / 1_024;
}
