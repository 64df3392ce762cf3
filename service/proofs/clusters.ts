import { execFile } from "node:child_process";
import { appendFile, chown, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { findFreePorts } from "#testing/free-ports.ts";

// PostgreSQL servers for proofs that need more than one.

const exec = promisify(execFile);

export type Cluster = { url: string; port: number; folder: string; stop: () => Promise<void> };

const SETTINGS = [
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  "wal_level = replica",
  "max_wal_senders = 4",
  "max_wal_size = 4GB",
  // The machine does not crash in a proof.
  "fsync = off",
];

async function binary(name: string): Promise<string> {
  const root = "/usr/lib/postgresql";
  const version = (await readdir(root)).sort((a, b) => Number(a) - Number(b)).at(-1);
  return `${root}/${version}/bin/${name}`;
}

/** PostgreSQL refuses to run as root, so root runs its programs as the user postgres. */
const runAsPostgres = async (name: string, args: readonly string[]) => runProgram(await binary(name), args);

/** Runs a program as the user of PostgreSQL. */
export async function runProgram(program: string, args: readonly string[]): Promise<void> {
  if (process.getuid?.() === 0) await exec("runuser", ["-u", "postgres", "--", program, ...args]);
  else await exec(program, [...args]);
}

/** Starts the server of a folder, with further settings. */
export async function startCluster(folder: string, settings: readonly string[] = []): Promise<Cluster> {
  const [port] = (await findFreePorts(1)) as [number];
  await appendFile(join(folder, "postgresql.conf"), `${[...SETTINGS, `port = ${port}`, ...settings].join("\n")}\n`);
  await runAsPostgres("pg_ctl", ["-D", folder, "-w", "-l", join(folder, "server.log"), "start"]);
  const stop = () => runAsPostgres("pg_ctl", ["-D", folder, "-w", "-m", "immediate", "stop"]);
  return { url: `postgres://credence@127.0.0.1:${port}/postgres`, port, folder, stop };
}

export async function startPrimary(parent: string, settings: readonly string[] = []): Promise<Cluster> {
  await chownToPostgres(parent);
  const folder = join(parent, "primary");
  await runAsPostgres("initdb", [
    "-D",
    folder,
    "-U",
    "credence",
    "--auth=trust",
    "--encoding=UTF8",
    "--no-locale",
    "--no-sync",
  ]);
  return startCluster(folder, settings);
}

/** Starts a streaming replica of the primary. */
export async function startReplica(parent: string, primary: Cluster, name = "replica"): Promise<Cluster> {
  const folder = join(parent, name);
  const from = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "credence"];
  await runAsPostgres("pg_basebackup", [...from, "-D", folder, "-R", "-X", "stream", "--checkpoint=fast", "--no-sync"]);
  return startCluster(folder);
}

async function chownToPostgres(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { stdout } = await exec("id", ["-u", "postgres"]);
  await chown(folder, Number(stdout), -1);
}
