import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Cluster, explainLog, inUse, processOptions, readPidFile, SUPERUSER } from "./cluster.ts";

/** `url` has no database. */
export type RunningServer = { url: string; stop: () => Promise<void> };

/**
 * Ends with its server, and stops it when standard input is closed, which happens also when the demo
 * is killed.
 */
const SUPERVISOR = `
exec 3<&0
"$@" 3<&- & server=$!
(cat <&3 >/dev/null; kill -INT $server) 2>/dev/null & watcher=$!
wait $server; status=$?
kill $watcher 2>/dev/null
exit $status`;

const START_MS = 60_000;
/** The server of a demo that was killed needs this long to stop. */
const STOP_MS = 5_000;
const POLL_MS = 50;
/** In postmaster.pid. */
const PORT_LINE = 3;

/** Starts the server of a cluster on a free port of the loopback interface. */
export async function startServer(cluster: Cluster): Promise<RunningServer> {
  const port = await findFreePort();
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories="].flatMap((setting) => ["-c", setting]);
  const command = [join(cluster.program, "bin/postgres"), "-D", cluster.data, "-p", `${port}`, ...settings];
  const startedAt = performance.now();
  for (;;) {
    const child = await spawnSupervised(cluster, command);
    if (await becomesReady(child, cluster, port)) {
      const password = (await readFile(cluster.password, "utf8")).trim();
      return { url: `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}`, stop: () => stop(child) };
    }
    await stop(child);
    const isLocked = (await readFile(cluster.log, "utf8")).includes("postmaster.pid");
    if (!isLocked) throw await explainLog(cluster);
    if (performance.now() - startedAt > STOP_MS) throw inUse(cluster.folder);
    await delay(POLL_MS);
  }
}

async function spawnSupervised(cluster: Cluster, command: string[]): Promise<ChildProcess> {
  const log = await open(cluster.log, "w", 0o600);
  const child = spawn("/bin/sh", ["-c", SUPERVISOR, "sh", ...command], {
    ...processOptions(cluster),
    // Ctrl-C in the terminal must not stop the server before the demo.
    detached: true,
    stdio: ["pipe", log.fd, log.fd],
  });
  await once(child, "spawn").finally(() => log.close());
  return child;
}

/** Another server of this cluster has another port. */
async function becomesReady(child: ChildProcess, { data }: Cluster, port: number): Promise<boolean> {
  const startedAt = performance.now();
  while (child.exitCode === null && performance.now() - startedAt < START_MS) {
    const lines = (await readPidFile(data)).split("\n").map((line) => line.trim());
    if (lines[PORT_LINE] === `${port}` && lines.includes("ready")) return true;
    await delay(POLL_MS);
  }
  return false;
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = child.exitCode === null ? once(child, "exit") : null;
  child.stdin?.end();
  await exited;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
