import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Containers } from "../../../deploy/testing/containers.ts";
import { waitFor } from "../harness.ts";

/** A program that runs compose.yaml, with the engine behind it. */
export type Tool = {
  name: "podman-compose" | "docker-compose";
  env: NodeJS.ProcessEnv;
  /** Runs `podman` or `docker`. */
  engine: (...args: string[]) => string;
  /** Copies an image from the store in which it was built. */
  loadImage: (name: string) => void;
  /** Removes what the tool leaves of a project. */
  close: (project: string) => Promise<void>;
};

export function openPodman({ env, run }: Containers): Tool {
  return {
    name: "podman-compose",
    env,
    engine: (...args) => run("podman", ...args),
    loadImage: () => {},
    close: async (project) => void run("podman", "network", "rm", `${project}_default`),
  };
}

/** Starts a Docker of its own: dockerd and docker-compose of Debian. */
export async function openDocker({ env: podmanEnv, run, folder }: Containers): Promise<Tool> {
  const place = join(folder, "docker");
  mkdirSync(place);
  const socket = join(place, "socket");
  const daemon = spawn(
    "dockerd",
    [
      ...["--iptables=false", "--default-ulimit", "nofile=8192:8192", "--host", `unix://${socket}`],
      ...["--data-root", join(place, "data"), "--exec-root", join(place, "exec"), "--pidfile", join(place, "pid")],
    ],
    { stdio: ["ignore", "ignore", "ignore"] },
  );
  const env = { ...podmanEnv, DOCKER_HOST: `unix://${socket}` };
  const engine = (...args: string[]) => execFileSync("docker", args, { env, encoding: "utf8", stdio: "pipe" });
  await waitFor("dockerd", async () => isRunning(engine));
  return {
    name: "docker-compose",
    env,
    engine,
    loadImage: (name) =>
      void run(
        "skopeo",
        ...["copy", "--quiet", "--dest-daemon-host", `unix://${socket}`],
        ...[`containers-storage:${name}`, `docker-daemon:${name.includes(":") ? name : `${name}:latest`}`],
      ),
    close: () => end(daemon),
  };
}

function isRunning(engine: Tool["engine"]): boolean {
  try {
    return engine("info").includes("Server Version");
  } catch {
    return false;
  }
}

async function end(daemon: ChildProcess): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  daemon.on("exit", () => resolve());
  daemon.kill("SIGTERM");
  await ended;
}
