import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { type UserInfo, userInfo } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "#core/config/config.ts";
import { Failure } from "#core/terminal/failure.ts";
import { copyProgram, type Program } from "./program.ts";

type User = { uid: number; gid: number };

/** A cluster and its PostgreSQL, in a folder that only the user of the server can enter. */
export type Cluster = { folder: string; program: string; data: string; password: string; log: string; user: User };

export const SUPERUSER = "credence";

/** Refuses a user without a name, as in some containers: PostgreSQL needs one too. */
export function requireUser(): UserInfo<string> {
  try {
    return userInfo();
  } catch {
    throw new Failure(
      `The user ${process.getuid?.()} of this process has no name on this machine, and the demo needs one to find or start a PostgreSQL.`,
      "Start it as a user of /etc/passwd, or set DATABASE_URL to postgres://user:password@host:5432/database.",
    );
  }
}

/** Where the cluster is. Root's own cache is closed to the user who runs the server. */
export function clusterFolder(environment: Environment): string {
  const { homedir, uid } = requireUser();
  const cache = uid === 0 ? "/var/cache" : environment.XDG_CACHE_HOME || join(homedir, ".cache");
  return join(cache, "credence-demo");
}

/** Creates what is not there yet. An interrupted creation is begun anew. */
export async function ensureCluster(program: Program, folder: string): Promise<Cluster> {
  const cluster = clusterOf(program, folder, await findServerUser());
  const { uid, gid } = cluster.user;
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chown(folder, uid, gid);
  if (!existsSync(cluster.program)) await copyProgram(program, cluster.program);
  if (!existsSync(cluster.data)) await createCluster(cluster);
  return cluster;
}

/** Removes clusters of all versions, and the copies of PostgreSQL. Returns whether there was anything. */
export async function removeClusters(folder: string): Promise<boolean> {
  if (!existsSync(folder)) return false;
  for (const name of await readdir(folder)) {
    const pid = Number.parseInt(await readPidFile(join(folder, name)), 10);
    if (pid > 0 && isRunning(pid)) throw inUse(folder);
  }
  await rm(folder, { recursive: true });
  return true;
}

/** The files of a major version, whose data another one cannot read. */
const clusterOf = ({ version, majorVersion }: Program, folder: string, user: User): Cluster => ({
  folder,
  program: join(folder, `postgresql-${version}`),
  data: join(folder, `data-${majorVersion}`),
  password: join(folder, `password-${majorVersion}`),
  log: join(folder, "server.log"),
  user,
});

/** PostgreSQL refuses to run as root. */
async function findServerUser(): Promise<User> {
  const { uid, gid } = userInfo();
  if (uid !== 0) return { uid, gid };
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  for (const name of ["postgres", "nobody"]) {
    const [, , id, group] = users.find(([found]) => found === name) ?? [];
    if (id !== undefined) return { uid: Number(id), gid: Number(group) };
  }
  throw new Failure(
    "PostgreSQL does not run as root, and this machine has neither a user postgres nor nobody.",
    "Start the demo as another user, or create one: useradd --system postgres",
  );
}

async function createCluster(cluster: Cluster): Promise<void> {
  const part = `${cluster.data}.part`;
  await rm(part, { recursive: true, force: true });
  await writeFile(cluster.password, `${randomBytes(24).toString("hex")}\n`, { mode: 0o600 });
  await chown(cluster.password, cluster.user.uid, cluster.user.gid);
  const access = ["-U", SUPERUSER, "--auth=scram-sha-256", `--pwfile=${cluster.password}`];
  const args = ["-D", part, ...access, "--encoding=UTF8", "--locale=C", "--no-sync"];
  const log = await open(cluster.log, "w", 0o600);
  const child = spawn(join(cluster.program, "bin/initdb"), args, {
    ...processOptions(cluster),
    stdio: ["ignore", log.fd, log.fd],
  });
  const [code] = await once(child, "exit").finally(() => log.close());
  if (code !== 0) throw await explainLog(cluster);
  await rename(part, cluster.data);
}

/** Of a child process: without the variables of the demo, and as the user of the server. */
export const processOptions = ({ folder, user }: Cluster) => ({
  cwd: folder,
  env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
  ...(userInfo().uid === 0 && user),
});

/** What a running server says about itself: its process, its port, whether it is ready. Else empty. */
export const readPidFile = (data: string): Promise<string> =>
  readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

export const inUse = (folder: string): Failure =>
  new Failure(
    `Another \`credence demo\` uses the PostgreSQL in ${folder}.`,
    "Stop it, or set DATABASE_URL to another PostgreSQL.",
  );

/** The last error that PostgreSQL logged, as a failure. */
export async function explainLog({ log }: Cluster): Promise<Failure> {
  const lines = (await readFile(log, "utf8")).trim().split("\n");
  const cause = lines.findLast((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1);
  const isFull = lines.some((line) => line.includes("No space left"));
  return new Failure(
    `The PostgreSQL of the demo did not start: ${cause?.trim() || "it ended without a message."}`,
    isFull
      ? "The disk is full. Free some space, and start the demo again."
      : `Its log is ${log}. To begin with a new one: credence demo --remove`,
  );
}
