import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";

// The parts of deploy/ha are those of Debian 13. On another system, they run in a root file system of it.

const CLONE = join(import.meta.dirname, "../../..");
const PACKAGES =
  "patroni python3-etcd etcd-server etcd-client haproxy postgresql-17 nginx-light libnginx-mod-http-brotli-filter libfaketime nftables iptables iproute2 mount openssl curl procps";

/** `$1` is the root, which takes 1 GB. It appears when it is complete. */
const CREATE = `set -eu
rm -rf "$1.new"
debootstrap --variant=minbase trixie "$1.new"
printf '#!/bin/sh\\nexit 101\\n' > "$1.new/usr/sbin/policy-rc.d"
chmod 755 "$1.new/usr/sbin/policy-rc.d"
mkdir "$1.new/etc/postgresql-common"
echo 'create_main_cluster = false' > "$1.new/etc/postgresql-common/createcluster.conf"
mount -t proc proc "$1.new/proc"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
chroot "$1.new" apt-get update -qq
chroot "$1.new" apt-get install -y -qq --no-install-recommends ${PACKAGES}
umount "$1.new/proc"
mv "$1.new" "$1"
`;

/** `$1` is the root, `$2` the folder of Node, `$3` the clone. Everything ends with the first process. */
const ENTER = `set -eu
root=$1 node=$2 clone=$3
shift 3
if [ "$root" != / ]; then
  mount --rbind /dev "$root/dev"
  mount --rbind /sys "$root/sys"
fi
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t tmpfs tmpfs "$root/mnt"
mkdir "$root/mnt/node" "$root/mnt/credence"
mount --bind "$node" "$root/mnt/node"
mount --bind "$clone" "$root/mnt/credence"
ip link set lo up
cd /
chroot "$root" env -i HOME=/tmp LC_ALL=C.UTF-8 DATABASE_URL=postgres://none@127.0.0.1:1/none \\
  PATH=/mnt/node:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \\
  node /mnt/credence/service/proofs/cluster/inside.ts "$@"
exit $?
`;

/** Its root file system, or `/` on Debian 13 itself. */
export function findDebian13(): string {
  if (readFileSync("/etc/os-release", "utf8").includes('VERSION_ID="13"')) return "/";
  // biome-ignore lint/style/noProcessEnv: the folder that .ci/env uses.
  const root = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "credence/debian-13");
  if (!existsSync(root)) execFileSync("unshare", ["--mount", "bash", "-c", CREATE, "bash", root], { stdio: "inherit" });
  return root;
}

/** Runs inside.ts as root, with a network, processes and memory of its own, and returns its result. */
export async function runInDebian13<Result>(args: readonly string[]): Promise<Result> {
  const isolation = ["--mount", "--net", "--pid", "--fork", "--kill-child"];
  const child = spawn(
    "setpriv",
    [
      ...["--pdeathsig", "KILL", "unshare", ...isolation, "bash", "-c", ENTER, "bash"],
      ...[findDebian13(), dirname(process.execPath), CLONE, ...args],
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  if (code !== 0) throw new Error(`The proof ended with ${code}.`);
  return JSON.parse(output);
}

/** The versions of the parts. Older ones of Patroni overwrite the key of another leader, and lose writes. */
export function printVersions(): string {
  const titles = { patroni: "Patroni", "etcd-server": "etcd", haproxy: "HAProxy", "postgresql-17": "PostgreSQL" };
  const { stdout } = spawnSync("dpkg-query", ["--show", ...Object.keys(titles)], { encoding: "utf8" });
  const versionOf = (name: string) => new RegExp(`^${name}\t([\\d.]+)`, "m").exec(stdout)?.[1] ?? "absent";
  if (!(Number.parseInt(versionOf("patroni"), 10) >= 4))
    throw new Error(
      `Patroni is ${versionOf("patroni")}, expected 4 or newer. On Debian 13: apt-get install ${PACKAGES}`,
    );
  return Object.entries(titles)
    .map(([name, title]) => `${title} ${versionOf(name)}`)
    .join(", ");
}
