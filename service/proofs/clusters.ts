import { execFile } from "node:child_process";
import { appendFile, chown, readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

// PostgreSQL servers of a proof's own, where the one at hand is not enough.

const exec = promisify(execFile);

export type Cluster = { url: string; port: number; folder: string; stop: () => Promise<void> };

const SETTINGS = [
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  "wal_level = replica",
  "max_wal_senders = 4",
  "max_wal_size = 4GB",
];

async function binary(name: string): Promise<string> {
  const root = "/usr/lib/postgresql";
  const version = (await readdir(root)).sort((one, other) => Number(one) - Number(other)).at(-1);
  return `${root}/${version}/bin/${name}`;
}

/** The server refuses to run as root. */
async function asServer(name: string, args: readonly string[]): Promise<void> {
  const program = await binary(name);
  const [command, all] =
    process.getuid?.() === 0 ? ["runuser", ["-u", "postgres", "--", program, ...args]] : [program, [...args]];
  await exec(command as string, all as string[]);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

async function startCluster(folder: string): Promise<Cluster> {
  const port = await findFreePort();
  await appendFile(join(folder, "postgresql.conf"), `${[...SETTINGS, `port = ${port}`].join("\n")}\n`);
  await asServer("pg_ctl", ["-D", folder, "-w", "-l", join(folder, "server.log"), "start"]);
  const stop = () => asServer("pg_ctl", ["-D", folder, "-w", "-m", "immediate", "stop"]);
  return { url: `postgres://credence@127.0.0.1:${port}/postgres`, port, folder, stop };
}

export async function makePrimary(parent: string): Promise<Cluster> {
  await giveToServer(parent);
  const folder = join(parent, "primary");
  await asServer("initdb", ["-D", folder, "-U", "credence", "--auth=trust", "--encoding=UTF8", "--no-locale"]);
  return startCluster(folder);
}

/** A copy that follows the primary. */
export async function makeReplica(parent: string, primary: Cluster, name = "replica"): Promise<Cluster> {
  const folder = join(parent, name);
  const from = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "credence"];
  await asServer("pg_basebackup", [...from, "-D", folder, "-R", "-X", "stream", "--checkpoint=fast"]);
  return startCluster(folder);
}

async function giveToServer(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { stdout } = await exec("id", ["-u", "postgres"]);
  await chown(folder, Number(stdout), -1);
}
