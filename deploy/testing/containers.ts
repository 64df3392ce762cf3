import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// A separate image store, removed after its use.

const root = join(import.meta.dirname, "../..");

export type Containers = {
  folder: string;
  /** The environment of buildah, podman, podman-compose and skopeo. */
  env: NodeJS.ProcessEnv;
  run: (command: string, ...args: string[]) => string;
  close: () => void;
};

export function openContainers(): Containers {
  const folder = mkdtempSync(join(tmpdir(), "credence-containers-"));
  writeFileSync(
    join(folder, "storage.conf"),
    `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/store"\nrunroot = "${folder}/run"\n`,
  );
  // Works with or without systemd and with both versions of cgroups. While containers join a network,
  // its name server loses requests: they are repeated after a second instead of five.
  writeFileSync(
    join(folder, "containers.conf"),
    `[containers]
default_ulimits = ["nofile=8192:8192", "nproc=4096:4096"]
dns_options = ["timeout:1"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`,
  );
  const env = {
    // biome-ignore lint/style/noProcessEnv: a child needs PATH and the like.
    ...process.env,
    CONTAINERS_STORAGE_CONF: join(folder, "storage.conf"),
    CONTAINERS_CONF: join(folder, "containers.conf"),
    // A Docker of this machine has other containers.
    DOCKER_HOST: "unix:///nonexistent",
  };
  const run = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd: root, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const close = () => {
    run("podman", "rm", "--all", "--force", "--time", "1");
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, env, run, close };
}
