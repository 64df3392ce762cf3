import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, queryValue } from "#core/database/database.ts";
import { findFreePorts } from "#testing/free-ports.ts";
import { waitFor } from "../harness.ts";

// Three etcd, three PostgreSQL under Patroni, and an HAProxy for each node, on one machine, with the
// files of deploy/ha. Only addresses, ports, folders and authentication are changed.

const FILES = join(import.meta.dirname, "../../../deploy/ha");
const MEMBERS = [0, 1, 2];
/** Each PostgreSQL has a disk of its own, in memory. */
const DISK_SIZE = "2g";
/** The last HAProxy runs as another user, so that its packets can be dropped. */
const LAST_HAPROXY_USER = "proxy";

/** A program that a supervisor would start again. */
export type Managed = { start: () => void; signal: (name: NodeJS.Signals) => void; pid: () => number | undefined };

export type DatabaseCluster = {
  etcd: Managed[];
  patroni: Managed[];
  haproxies: (Managed & { primaryUrl: string; readUrl: string })[];
  /** The member that is the primary, by the REST API of Patroni; null while there is none. */
  findPrimary: () => Promise<number | null>;
  findEtcdLeader: () => Promise<number | null>;
  /** Sends a signal to all processes of a PostgreSQL. */
  signalServer: (member: number, name: NodeJS.Signals) => void;
  switchOver: () => Promise<void>;
  /** Stops and starts a PostgreSQL, by Patroni. */
  restart: (member: number) => Promise<void>;
  /** Drops all packets from the last HAProxy to these members, or resets its connections, until the returned function is called. */
  cutOff: (members: readonly number[], how: "drop" | "reset") => () => void;
  /** Drops all packets from the replicas and their agents to the primary, until the returned function is called. */
  cutOffReplicas: (primary: number) => () => void;
  /** Fills the disk of a member, until the returned function is called. */
  fillDisk: (member: number) => () => void;
  stop: () => Promise<void>;
};

export async function startDatabases(folder: string, nodes: number): Promise<DatabaseCluster> {
  const ports = await findFreePorts(12 + 2 * nodes);
  const take = (count: number): number[] => ports.splice(0, count);
  const [clientPorts, peerPorts, restPorts, serverPorts] = [take(3), take(3), take(3), take(3)];
  const postgres = Number(execFileSync("id", ["-u", "postgres"], { encoding: "utf8" }));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, "pg"));
  chownSync(join(folder, "pg"), postgres, -1);
  for (const member of MEMBERS) {
    const disk = join(folder, `pg/${member}`);
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_SIZE},uid=${postgres},mode=700`, "tmpfs", disk]);
  }

  /** Replaces 10.0.0.N:PORT by the port of the member on this machine. */
  const place = (text: string, member: number): string =>
    [
      [clientPorts, 2379],
      [peerPorts, 2380],
      [restPorts, 8008],
      [serverPorts, 5432],
    ]
      .reduce(
        (before, [memberPorts, port]) =>
          before.replaceAll(new RegExp(`10\\.0\\.0\\.(\\d):${port}`, "g"), (_, machine) => {
            // A machine's own addresses are those of the first in the files.
            return `127.0.0.1:${(memberPorts as number[])[Number(machine) - 1]}`;
          }),
        text,
      )
      .replaceAll("10.0.0.0/24 scram-sha-256", "127.0.0.0/8 trust")
      .replaceAll("/var/lib/etcd/credence", join(folder, `etcd-${member}`))
      .replaceAll("/var/lib/postgresql/15/credence", join(folder, `pg/${member}/data`))
      .replaceAll("/var/lib/postgresql/.pgpass-patroni", join(folder, `pg/pgpass-${member}`))
      .replaceAll("/var/run/postgresql", join(folder, "pg"));
  const write = (file: string, name: string, edit: (text: string) => string): string => {
    const path = join(folder, name);
    writeFileSync(path, edit(readFileSync(join(FILES, file), "utf8")));
    return path;
  };
  /** The lines about this machine name it instead of the first. */
  const renderFor = (member: number) => (text: string) =>
    place(
      text
        .replaceAll("db1\n", `db${member + 1}\n`)
        .replaceAll(
          /^( *(?:\w+-)*(?:listen|connect_address|urls|advertise)[\w-]*: .*)10\.0\.0\.1/gm,
          `$110.0.0.${member + 1}`,
        ),
      member,
    ).replace("data-checksums]", "data-checksums, auth: trust]");

  const manage = (name: string, command: readonly string[]): Managed => {
    let child: ChildProcess | null = null;
    const start = () => {
      const log = openSync(join(folder, `${name}.log`), "a");
      child = spawn(command[0] as string, command.slice(1), { stdio: ["ignore", log, log], cwd: folder });
    };
    start();
    return { start, signal: (signal) => void child?.kill(signal), pid: () => child?.pid };
  };
  const asPostgres = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"];
  const etcd = MEMBERS.map((member) =>
    manage(`etcd-${member}`, [
      "etcd",
      "--config-file",
      write("etcd.conf.yml", `etcd-${member}.yml`, renderFor(member)),
    ]),
  );
  await waitFor("a leader of etcd", async () => (await findEtcdLeader()) !== null);
  const patroni = MEMBERS.map((member) =>
    manage(`patroni-${member}`, [
      ...asPostgres,
      "patroni",
      write("patroni.yml", `patroni-${member}.yml`, renderFor(member)),
    ]),
  );
  const haproxies = Array.from({ length: nodes }, (_, index) => {
    const [primaryPort, readPort] = take(2);
    const edit = (text: string) =>
      MEMBERS.reduce(
        (before, member) =>
          before.replaceAll(
            `10.0.0.${member + 1}:5432 check port 8008`,
            `127.0.0.1:${serverPorts[member]} check port ${restPorts[member]}`,
          ),
        text,
      )
        .replace("bind 127.0.0.1:5000", `bind 127.0.0.1:${primaryPort}`)
        .replace("bind 127.0.0.1:5001", `bind 127.0.0.1:${readPort}`);
    const managed = manage(`haproxy-${index}`, [
      ...(index === nodes - 1 ? ["setpriv", "--reuid", LAST_HAPROXY_USER, "--clear-groups"] : []),
      "haproxy",
      "-db",
      "-f",
      write("haproxy.cfg", `haproxy-${index}.cfg`, edit),
    ]);
    const urlAt = (port: number | undefined) => `postgres://postgres@127.0.0.1:${port}/postgres`;
    return { ...managed, primaryUrl: urlAt(primaryPort), readUrl: urlAt(readPort) };
  });

  async function findEtcdLeader(): Promise<number | null> {
    for (const member of MEMBERS) {
      const stats = await getJson(`http://127.0.0.1:${clientPorts[member]}/v2/stats/self`);
      if (stats?.state === "StateLeader") return member;
    }
    return null;
  }
  async function findPrimary(): Promise<number | null> {
    for (const member of MEMBERS) {
      const response = await fetch(`http://127.0.0.1:${restPorts[member]}/primary`, {
        signal: AbortSignal.timeout(1_000),
      }).catch(() => null);
      if (response?.status === 200) return member;
    }
    return null;
  }
  const signalServer = (member: number, name: NodeJS.Signals) => {
    const [first = ""] = readFileSync(join(folder, `pg/${member}/data/postmaster.pid`), "utf8").split("\n");
    const children = readFileSync(`/proc/${first}/task/${first}/children`, "utf8").trim().split(" ").filter(Boolean);
    for (const pid of [first, ...children]) {
      try {
        process.kill(Number(pid), name);
      } catch {
        // It has just ended.
      }
    }
  };
  const switchOver = async () => {
    const primary = await findPrimary();
    if (primary === null) throw new Error("There is no primary.");
    const body = JSON.stringify({ leader: `db${primary + 1}` });
    await fetch(`http://127.0.0.1:${restPorts[primary]}/switchover`, { method: "POST", body });
  };
  const stop = async () => {
    for (const { signal } of [...haproxies, ...patroni]) {
      signal("SIGCONT");
      signal("SIGTERM");
    }
    await waitFor("PostgreSQL to stop", () => MEMBERS.every((member) => !isRunning(join(folder, `pg/${member}/data`))));
    for (const { signal } of etcd) signal("SIGKILL");
    for (const member of MEMBERS) execFileSync("umount", [join(folder, `pg/${member}`)]);
  };
  const restart = async (member: number) => {
    const url = `http://127.0.0.1:${restPorts[member]}/restart`;
    // Patroni refuses it while a switchover goes on.
    await waitFor("Patroni to restart PostgreSQL", async () => (await fetch(url, { method: "POST", body: "{}" })).ok);
  };
  const cutOff = (members: readonly number[], how: "drop" | "reset") =>
    refusePackets(
      LAST_HAPROXY_USER,
      members.flatMap((member) => [serverPorts[member], restPorts[member]]),
      how,
    );
  const cutOffReplicas = (primary: number) =>
    refusePackets("postgres", [serverPorts[primary], restPorts[primary]], "drop");
  const fillDisk = (member: number) => {
    const ballast = join(folder, `pg/${member}/ballast`);
    // Ends with an error when nothing is left.
    spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=1M"]);
    return () => rmSync(ballast);
  };
  const database = openDatabase({
    ...{ url: haproxies[0]?.primaryUrl ?? "", name: "proof", maxConnections: 1, statementTimeoutMs: 2_000 },
  });
  const countReplicas = () => queryValue<number>(database, "select count(*) from pg_stat_replication");
  await waitFor("a primary and two replicas", async () => (await countReplicas().catch(() => 0)) === 2);
  await database.end();
  return {
    ...{ etcd, patroni, haproxies, findPrimary, findEtcdLeader, signalServer, switchOver, restart },
    ...{ cutOff, cutOffReplicas, fillDisk, stop },
  };
}

/** Refuses what a user's processes send to these ports, until the returned function is called. */
function refusePackets(user: string, ports: readonly (number | undefined)[], how: "drop" | "reset"): () => void {
  const target = how === "drop" ? ["-j", "DROP"] : ["-j", "REJECT", "--reject-with", "tcp-reset"];
  const rules = ports.map((port) => [
    ...["OUTPUT", "-p", "tcp", "-m", "owner", "--uid-owner", user, "--dport", String(port)],
    ...target,
  ]);
  for (const rule of rules) execFileSync("iptables", ["-A", ...rule]);
  return () => {
    for (const rule of rules) execFileSync("iptables", ["-D", ...rule]);
  };
}

function isRunning(folder: string): boolean {
  try {
    const [pid = ""] = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), 0);
    return true;
  } catch {
    return false;
  }
}

async function getJson(url: string): Promise<Record<string, unknown> | null> {
  return fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    (response) => response.json() as Promise<Record<string, unknown>>,
    () => null,
  );
}
