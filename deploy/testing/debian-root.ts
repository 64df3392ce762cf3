import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { showOnFailure } from "../../service/testing/show-on-failure.ts";
import { whenDone } from "../../service/testing/when-done.ts";

// A Debian machine of its own: the packages of this machine, private folders for all that an installation
// writes, a private network, and private processes. PID 1 is not systemd. What it writes is in memory.

/** As root has it on Debian. */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const CLONE = join(import.meta.dirname, "../..");

/** `$1` is an empty folder. Everything ends with its input, also if the test is killed. */
const START = `set -eu
mkdir -p "$1"
mount -t tmpfs -o mode=755 credence "$1"
for place in etc home opt root srv usr/local var; do
  mkdir -p "$1/upper/$place" "$1/work/$place"
  mount -t overlay credence -o "lowerdir=/$place,upperdir=$1/upper/$place,workdir=$1/work/$place" "/$place"
done
mount -t tmpfs -o mode=755 credence /run
install -d -m 1777 /run/lock
rm -rf /etc/credence /etc/postgresql /opt/node /opt/credence /var/cache/nginx
for place in /etc/postgresql /run/postgresql; do install -d -o postgres -g postgres "$place"; done
mount -t tmpfs -o mode=755,uid=postgres,gid=postgres credence /var/lib/postgresql
ip link set lo up
echo ready
exec cat
`;

export type DebianRoot = {
  /** Runs a script of bash as root, in the clone. Expects this exit code, and returns what was printed. */
  run: (script: string, options?: RunOptions) => string;
  /** The path at which this test sees a file of the machine. */
  pathOf: (file: string) => string;
  /** Starts a program on the machine. `signal` reaches the program itself. */
  start: (command: readonly string[]) => { child: ReturnType<typeof spawn>; signal: (name: NodeJS.Signals) => void };
};

type RunOptions = {
  code?: number;
  environment?: Record<string, string>;
  /** Uses the network of this machine. */
  isOnline?: boolean;
  /** What it reads from standard input. */
  input?: string;
};

export async function openDebianRoot(folder: string): Promise<DebianRoot> {
  const isolation = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const child = spawn("unshare", [...isolation, "bash", "-c", START, "bash", folder], { stdio: "pipe" });
  let output = "";
  child.stderr.on("data", (chunk) => (output += chunk));
  showOnFailure("the Debian machine", () => output);
  const ended = once(child, "close");
  whenDone(async () => {
    child.stdin.end();
    await ended;
  });
  await Promise.race([
    once(child.stdout, "data"),
    ended.then(() => {
      throw new Error(`The Debian machine did not start: ${output}`);
    }),
  ]);
  const [first = 0] = childrenOf(child);
  const enter = (isOnline = false) => [
    ...["--target", `${first}`, "--mount", "--pid", ...(isOnline ? [] : ["--net"])],
    `--wd=${CLONE}`,
  ];
  // biome-ignore lint/style/noProcessEnv: npm may be configured there.
  const { DATABASE_URL: _, TEST_DATABASE_URL: __, ...inherited } = process.env;
  const envOf = (environment = {}) => ({ ...inherited, PATH, HOME: "/root", ...environment });
  return {
    pathOf: (file) => join(`/proc/${first}/root`, file),
    start: (command) => {
      const started = spawn("nsenter", [...enter(), ...command], { env: envOf(), stdio: ["ignore", "pipe", "pipe"] });
      const signal = (name: NodeJS.Signals) => {
        for (const pid of childrenOf(started)) process.kill(pid, name);
      };
      return { child: started, signal };
    },
    run: (script, { code = 0, environment, isOnline, input } = {}) => {
      const piped = input === undefined ? script : `printf '${input}' | { ${script}\n}`;
      const args = [...enter(isOnline), "bash", "-euo", "pipefail", "-c", piped];
      const { status, stdout, stderr } = spawnSync("nsenter", args, {
        env: envOf(environment),
        encoding: "utf8",
        // bash takes a socket for a remote shell.
        stdio: ["ignore", "pipe", "pipe"],
      });
      if (status !== code) throw new Error(`${script}\nended with ${status}:\n${stdout}${stderr}`);
      return stdout + stderr;
    },
  };
}

const childrenOf = ({ pid }: { pid?: number | undefined }): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

/** Starts PostgreSQL as Debian's package does. */
export function startPostgres(root: DebianRoot): void {
  root.run(`version=$(ls /usr/lib/postgresql | sort -V | tail -n 1)
    pg_createcluster --port 5432 "$version" main -- --no-sync
    printf 'fsync = off\\nlog_statement = all\\n' >> "/etc/postgresql/$version/main/postgresql.conf"
    pg_ctlcluster --skip-systemctl-redirect "$version" main start`);
}
