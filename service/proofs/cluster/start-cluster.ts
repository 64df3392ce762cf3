import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { promisify } from "node:util";
import { createClock } from "#testing/fake-clock.ts";
import { waitFor } from "../harness.ts";
import { HOST, type Machine, manage, startMachine, startNetwork } from "./machine.ts";

// Three machines with etcd and PostgreSQL under Patroni, and an HAProxy for each node, all on one machine,
// with the files of deploy/ha.

const MAKE_FILES = join(import.meta.dirname, "../../../deploy/ha/make-cluster.sh");
const DATA = "/var/lib/postgresql/17/credence";
const PATRONICTL = "patronictl -c /etc/patroni/config.yml";
/** The last HAProxy runs as another user, so that its packets can be dropped. */
const LAST_HAPROXY_USER = "proxy";

const exec = promisify(execFile);

export type DatabaseCluster = Awaited<ReturnType<typeof startDatabases>>;

export async function startDatabases(folder: string, nodes: number) {
  startNetwork();
  const machines = await Promise.all([1, 2, 3].map((number) => startMachine(folder, number)));
  const files = join(folder, "files");
  mkdirSync(files);
  const addresses = [...machines.map(({ address }) => address), HOST];
  // For a node whose clock is an hour behind, a certificate of today is not valid yet.
  const clock = createClock(join(folder, "clock-of-authority"));
  clock.setAhead(-86_400);
  const yesterday = Object.entries(clock.environment).map(([name, value]) => `${name}=${value}`);
  const makeFiles = () => exec("env", [...yesterday, MAKE_FILES, ...addresses], { cwd: files });
  const findMember = async (isIt: (machine: Machine) => Promise<boolean>): Promise<number | null> => {
    for (const [member, machine] of machines.entries()) if (await isIt(machine).catch(() => false)) return member;
    return null;
  };
  const findEtcdLeader = () =>
    findMember(async ({ address, run }) => {
      const options = "-s --max-time 1 --cacert ca.pem --cert machine.pem --key machine.key";
      const metrics = await run(`cd /etc/credence-ha; curl ${options} https://${address}:2379/metrics`);
      return /^etcd_server_is_leader 1$/m.test(metrics);
    });
  /** By the REST API of Patroni; null while there is none. */
  const findPrimary = () =>
    findMember(async ({ address }) => {
      const response = await fetch(`https://${address}:8008/primary`, { signal: AbortSignal.timeout(1_000) });
      await response.arrayBuffer();
      return response.status === 200;
    });

  await makeFiles();
  const authority = join(files, "ca.pem");
  setDefaultCACertificates([...getCACertificates(), readFileSync(authority, "utf8")]);
  await Promise.all(
    machines.map(({ name, run }) => run(`${files}/${name}/install.sh; nft -f /etc/nftables-credence.conf`)),
  );

  const etcd = machines.map(({ start }) =>
    start("etcd", "etcd", "set -a; . /etc/default/etcd; exec /usr/bin/etcd $DAEMON_ARGS"),
  );
  await waitFor("a leader of etcd", async () => (await findEtcdLeader()) !== null);
  const patroni = machines.map(({ start }) =>
    start("postgres", "patroni", "exec /usr/bin/patroni /etc/patroni/config.yml"),
  );
  await waitFor("a primary and two replicas", async () => {
    const list = (await machines[0]?.run(`${PATRONICTL} list`).catch(() => "")) ?? "";
    return list.split("streaming").length === 3 && (await findPrimary()) !== null;
  });
  const primary = machines[(await findPrimary()) as number] as Machine;
  await primary.run(`runuser -u postgres -- psql -v ON_ERROR_STOP=1 \
    -c "create role credence_owner login password 'secret'" -c "grant pg_monitor to credence_owner" \
    -c "create database credence_v1 owner credence_owner encoding 'UTF8' template template0"`);

  const haproxies = Array.from({ length: nodes }, (_, index) => {
    const [primaryPort, readPort] = [5000 + 10 * index, 5001 + 10 * index];
    const file = join(folder, `haproxy-${index}.cfg`);
    const text = readFileSync(join(files, "node/haproxy.cfg"), "utf8")
      .replace("127.0.0.1:5000", `127.0.0.1:${primaryPort}`)
      .replace("127.0.0.1:5001", `127.0.0.1:${readPort}`)
      .replaceAll("/etc/credence-ha", files)
      .replace("user haproxy", `user ${index === nodes - 1 ? LAST_HAPROXY_USER : "haproxy"}`);
    writeFileSync(file, text);
    const query = `sslmode=verify-full&sslrootcert=${authority}`;
    const urlAt = (port: number) => `postgres://credence_owner:secret@127.0.0.1:${port}/credence_v1?${query}`;
    const managed = manage(folder, `haproxy-${index}`, ["haproxy", "-db", "-f", file]);
    return { ...managed, primaryUrl: urlAt(primaryPort), readUrl: urlAt(readPort) };
  });

  /** Sends a signal to all processes of a PostgreSQL. */
  const signalServer = (member: number, name: NodeJS.Signals) => {
    const file = machines[member]?.pathOf(`${DATA}/postmaster.pid`) as string;
    const [first = ""] = readFileSync(file, "utf8").split("\n");
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
    const member = await findPrimary();
    if (member === null) throw new Error("There is no primary.");
    const { name, run } = machines[member] as Machine;
    await run(`${PATRONICTL} switchover credence --leader ${name} --force`);
  };
  /** Stops and starts a PostgreSQL, by Patroni. */
  const restart = async (member: number) => {
    const { name, run } = machines[member] as Machine;
    // Patroni refuses it while a switchover goes on.
    const isRestarted = async () => (await run(`${PATRONICTL} restart credence ${name} --force`)).includes("Success");
    await waitFor("Patroni to restart PostgreSQL", () => isRestarted().catch(() => false));
  };
  /** Sets rules of a firewall, until the returned function is called. */
  const setRules = async (run: (script: string) => Promise<unknown>, rules: readonly string[]) => {
    const each = (option: string) => run(rules.map((rule) => `iptables ${option} ${rule}`).join(" && "));
    await each("-A");
    return () => each("-D");
  };
  /** Drops all packets from the last HAProxy to these members, or resets its connections. */
  const cutOff = (members: readonly number[], how: "DROP" | "REJECT --reject-with tcp-reset") =>
    setRules(
      (script) => exec("bash", ["-c", script]),
      members.map(
        (member) => `OUTPUT -p tcp -m owner --uid-owner ${LAST_HAPROXY_USER} -d 10.0.0.${member + 1} -j ${how}`,
      ),
    );
  /** Drops all packets between a machine and the other two, or only those to its PostgreSQL and its agent. */
  const isolate = (member: number, what: "all" | "replication") => {
    const { address, run } = machines[member] as Machine;
    const others = machines.map((machine) => machine.address).filter((other) => other !== address);
    const cut = (other: string) =>
      what === "all"
        ? [`INPUT -s ${other} -j DROP`, `OUTPUT -d ${other} -j DROP`]
        : [`INPUT -s ${other} -p tcp -m multiport --dports 5432,8008 -j DROP`];
    return setRules(run, others.flatMap(cut));
  };
  /** Fills the disk of a member, until the returned function is called. */
  const fillDisk = (member: number) => {
    const ballast = machines[member]?.pathOf("/var/lib/postgresql/ballast") as string;
    // Ends with an error when nothing is left.
    spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=1M"]);
    return () => rmSync(ballast);
  };
  /** Makes new certificates, and installs them on one machine after the other, as the page says. */
  const replaceCertificates = async () => {
    await makeFiles();
    for (const [member, { name, address, run }] of machines.entries()) {
      await run(`${files}/${name}/install.sh`);
      patroni[member]?.signal("SIGHUP");
      await run(`runuser -u postgres -- psql -c "select pg_reload_conf()"`);
      // What is sent at each port, until it is the new one.
      await run(`cd /etc/credence-ha
        serial() { openssl x509 -noout -serial; }
        for port in 8008 2379 2380 '5432 -starttls postgres'; do
          until [ "$(openssl s_client -connect ${address}:$port -cert machine.pem -key machine.key < /dev/null 2> /dev/null |
            serial)" = "$(serial < machine.pem)" ]; do sleep 0.2; done
        done`);
    }
  };
  /** What the logs say of timelines that were begun twice, and of agents that overwrote a key of another. */
  const findForks = async () => {
    const logs = machines.map(({ name }) => readFileSync(join(folder, `patroni-${name}.log`), "utf8")).join("");
    const timelines = [...logs.matchAll(/selected new timeline ID: (\d+)/g)].map(([, id]) => Number(id));
    const unexpected = timelines.sort((a, b) => a - b).filter((timeline, index) => timeline !== index + 2);
    const isOverwritten = /updated by someone else/.test(logs);
    return [
      ...(unexpected.length > 0 ? [`the promotions have the timelines ${timelines.join(", ")}`] : []),
      ...(isOverwritten ? ["an agent overwrote a key of another"] : []),
    ];
  };
  return {
    ...{ files, machines, etcd, patroni, haproxies, findPrimary, findEtcdLeader, signalServer, switchOver },
    ...{ restart, cutOff, isolate, fillDisk, replaceCertificates, findForks },
  };
}
