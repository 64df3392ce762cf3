import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { commandsOf } from "../../deploy/testing/install-guide.ts";
import { findDebian13 } from "./cluster/debian-13.ts";

const CLONE = join(import.meta.dirname, "../..");

/** `$1` is the root of Debian 13, `$2` the clone, `$3` the commands. What they write is in memory. */
const RUN = `set -eu
mount -t tmpfs -o mode=755 credence /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay credence -o "lowerdir=$1,upperdir=/mnt/upper,workdir=/mnt/work" /mnt/root
mount --rbind /dev /mnt/root/dev
mkdir -p /mnt/root/mnt/credence
mount --bind "$2" /mnt/root/mnt/credence
chroot /mnt/root env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -euc "cd /mnt/credence; $3"
`;

/**
 * nginx of Debian 13 accepts the files of deploy/nginx, installed by the commands of docs/reference/nginx.md
 * with nothing replaced, with and without the module of brotli. A test does the same on Debian 12.
 */
export function proveNginxFiles() {
  // The packages are there, and nothing starts without systemd as PID 1.
  const install = commandsOf("Behind nginx").replaceAll(/^(apt-get|systemctl) .*/gm, "");
  const withoutBrotli = "rm /etc/nginx/modules-enabled/*brotli* /etc/nginx/credence/brotli.conf";
  const commands = `${install}\nnginx -t\n${withoutBrotli}\nnginx -t\ndpkg-query --show nginx-common`;
  const args = ["--mount", "--net", "bash", "-c", RUN, "bash", findDebian13(), CLONE, commands];
  const output = execFileSync("unshare", args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  return { nginx: output.trim().split("\t")[1] };
}
