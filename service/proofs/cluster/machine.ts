import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const exec = promisify(execFile);

/** A program that a supervisor would start again. */
export type Managed = { start: () => void; signal: (name: NodeJS.Signals) => void };

export type Machine = Awaited<ReturnType<typeof startMachine>>;

const BRIDGE = "machines";
/** The address of this network, of nodes. */
export const HOST = "10.0.0.254";

const START = `set -eu
cp -a /etc "$1/etc"
mount --bind "$1/etc" /etc
mount -t tmpfs tmpfs /run
install -d -o postgres -g postgres /run/postgresql
mount -t tmpfs -o size=2g,mode=755,uid=postgres,gid=postgres tmpfs /var/lib/postgresql
mount -t tmpfs -o mode=755,uid=etcd,gid=etcd tmpfs /var/lib/etcd
ip link set lo up
echo ready
exec cat
`;

/** Connects this network to machines, which it reaches as 10.0.0.1 to 10.0.0.3. */
export function startNetwork(): void {
  execFileSync("ip", ["link", "add", BRIDGE, "type", "bridge"]);
  execFileSync("ip", ["address", "add", `${HOST}/24`, "dev", BRIDGE]);
  execFileSync("ip", ["link", "set", BRIDGE, "up"]);
}

/** Starts a program with a log in a folder. */
export function manage(folder: string, name: string, command: readonly string[]): Managed {
  let child: ChildProcess | null = null;
  const start = () => {
    const log = openSync(join(folder, `${name}.log`), "a");
    child = spawn(command[0] as string, command.slice(1), { stdio: ["ignore", log, log], cwd: folder });
  };
  start();
  return { start, signal: (signal) => void child?.kill(signal) };
}

/** Starts a machine with files of /etc, data and an address of its own. Its disk for PostgreSQL is in memory. */
export async function startMachine(folder: string, number: number) {
  const [name, address] = [`db${number}`, `10.0.0.${number}`];
  const place = join(folder, name);
  mkdirSync(place);
  const anchor = spawn(
    "unshare",
    ["--mount", "--propagation", "unchanged", "--net", "bash", "-c", START, "bash", place],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  await once(anchor.stdout, "data");
  const enter = ["--target", `${anchor.pid}`, "--mount", "--net", "--root", "--wd=/"];
  /** Runs a script of bash as root, and returns what it printed. */
  const run = async (script: string) =>
    (await exec("nsenter", [...enter, "bash", "-euo", "pipefail", "-c", script])).stdout;
  const port = ["link", "add", `to-${name}`, "type", "veth", "peer", "name", "eth0", "netns", `${anchor.pid}`];
  await exec("ip", port);
  await exec("ip", ["link", "set", `to-${name}`, "master", BRIDGE, "up"]);
  await run(`ip address add ${address}/24 dev eth0; ip link set eth0 up`);
  return {
    ...{ name, address, run },
    /** Starts a program with bash, as a user, as its unit does. */
    start: (user: string, program: string, command: string) => {
      const group = ["--reuid", user, "--regid", user, "--init-groups"];
      return manage(folder, `${program}-${name}`, ["nsenter", ...enter, "setpriv", ...group, "bash", "-c", command]);
    },
    /** The path at which this process sees a file of the machine. */
    pathOf: (file: string) => join(`/proc/${anchor.pid}/root`, file),
  };
}
