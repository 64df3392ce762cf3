import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Containers, openContainers } from "../../deploy/testing/containers.ts";
import { buildTestImages } from "../../deploy/testing/debian-images.ts";
import { commandsBeginning, commandsOf } from "../../deploy/testing/install-guide.ts";
import manifest from "../../package.json" with { type: "json" };
import { setVersion } from "../../release/set-version.ts";
import { findFreePorts } from "../testing/free-ports.ts";
import { waitFor } from "./harness.ts";

const root = join(import.meta.dirname, "../..");
const SECTIONS = ["With compose", "Back up with compose", "Restore with compose"];
const IMAGE = `localhost/credence:${manifest.version}`;
const NEXT_VERSION = "987.0.0";
const NEXT_IMAGE = `localhost/credence:${NEXT_VERSION}`;
const SERVICES = ["database", "server", "worker", "proxy"];
/** After a fault, the server answers again within this time, without a human. */
const MAX_SECONDS = 15;

/**
 * compose.yaml with docker-compose; the tests of deploy/ run it with podman-compose. Faults of every
 * kind, containers stopped and started in random order, and an upgrade to a second version and back, by
 * the commands of docs/PRODUCTION.md and docs/reference/compose.md. Needs docker.io and docker-compose.
 */
export async function proveCompose(rounds: number) {
  const containers = openContainers();
  try {
    const images = buildTestImages(join(containers.folder, "images"), containers.env);
    buildImage(containers, root, "first");
    buildImage(containers, makeNextVersion(containers.folder), "next");
    const docker = await startDocker(containers);
    try {
      for (const image of [IMAGE, NEXT_IMAGE, images.postgres, images.nginx]) docker.loadImage(image);
      const settings = { POSTGRES_IMAGE: images.postgres, NGINX_IMAGE: images.nginx };
      return await runDeployment(docker, containers.folder, settings, rounds);
    } finally {
      await docker.stop();
    }
  } finally {
    containers.close();
  }
}

type Docker = Awaited<ReturnType<typeof startDocker>>;

/** Starts a Docker of its own: dockerd of Debian. */
async function startDocker({ env: podmanEnv, run, folder }: Containers) {
  const place = join(folder, "docker");
  mkdirSync(place);
  const socket = join(place, "socket");
  const places = Object.entries({ "--data-root": "data", "--exec-root": "exec", "--pidfile": "pid" });
  const args = ["--iptables=false", "--default-ulimit", "nofile=8192:8192", "--host", `unix://${socket}`];
  const daemon = spawn("dockerd", [...args, ...places.flatMap(([option, name]) => [option, join(place, name)])], {
    stdio: "ignore",
  });
  const exited = once(daemon, "exit");
  const env = { ...podmanEnv, DOCKER_HOST: `unix://${socket}` };
  const engine = (...command: string[]) => execFileSync("docker", command, { env, encoding: "utf8", stdio: "pipe" });
  await waitFor("dockerd", () => {
    try {
      return engine("info").includes("Server Version");
    } catch {
      return false;
    }
  });
  const loadImage = (name: string) => {
    const target = `docker-daemon:${name.includes(":") ? name : `${name}:latest`}`;
    run("skopeo", "copy", "--quiet", "--dest-daemon-host", `unix://${socket}`, `containers-storage:${name}`, target);
  };
  const stop = async () => {
    daemon.kill("SIGTERM");
    await exited;
  };
  return { env, engine, loadImage, stop };
}

const shuffle = <Value>(values: readonly Value[]): Value[] =>
  values
    .map((value) => ({ value, order: randomInt(1_000_000) }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);

function buildImage({ folder, env }: Containers, source: string, name: string): void {
  const args = ["release/image.ts", "--out", join(folder, name)];
  execFileSync(process.execPath, args, { cwd: source, env, stdio: ["ignore", "ignore", "inherit"] });
}

/** A clone with another version, as a release makes it. */
function makeNextVersion(folder: string): string {
  const clone = join(folder, "next-version");
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: clone, stdio: ["ignore", "ignore", "inherit"] });
  execFileSync("git", ["clone", "--quiet", root, clone]);
  setVersion(clone, NEXT_VERSION, "2027-01-31");
  const author = ["-c", "user.name=proof", "-c", "user.email=proof@example.org"];
  run("git", ...author, "commit", "--quiet", "--all", "--message", NEXT_VERSION);
  run("npm", "ci", "--silent", "--no-audit");
  return clone;
}

async function runDeployment(docker: Docker, folder: string, images: Record<string, string>, rounds: number) {
  const project = `proof${basename(folder).toLowerCase().replaceAll(/\W/g, "")}`;
  const place = join(folder, "deploy", project);
  mkdirSync(place, { recursive: true });
  cpSync(join(root, "deploy/compose"), place, { recursive: true });
  cpSync(join(root, "deploy/nginx"), join(place, "../nginx"), { recursive: true });
  const [https, http, metrics] = (await findFreePorts(3)).map(String) as [string, string, string];
  const address = `https://localhost:${https}`;
  const writeSettings = (image: string) => {
    const ports = { HTTP_PORT: http, HTTPS_PORT: https, METRICS_PORT: metrics };
    const settings = { ...images, CREDENCE_IMAGE: image, PUBLIC_URL: address, ...ports };
    writeFileSync(
      join(place, ".env"),
      Object.entries(settings)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(""),
    );
  };
  const env = { ...docker.env, COMPOSE_PROJECT_NAME: project };
  const sh = (script: string) =>
    execFileSync("sh", ["-ec", script], { cwd: place, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  /** Commands of the documentation, with docker-compose 1 and these ports. */
  const follow = (commands: string) =>
    sh(
      commands
        .replace("cd deploy/compose\n", "")
        .replaceAll("docker compose", "docker-compose")
        .replaceAll("curl ", "curl --silent --retry 20 --retry-all-errors ")
        .replaceAll("https://localhost/", `${address}/`)
        .replaceAll("127.0.0.1:9090", `127.0.0.1:${metrics}`),
    );
  const get = (path: string): { status: string; body: string } => {
    const quiet = ["--silent", "--insecure", "--max-time", "5", "--write-out", "\n%{http_code}"];
    try {
      const lines = execFileSync("curl", [...quiet, address + path], { encoding: "utf8" }).split("\n");
      return { status: lines.pop() ?? "", body: lines.join("\n") };
    } catch {
      return { status: "no answer", body: "" };
    }
  };
  const container = (service: string) => `${project}_${service}_1`;
  let lastId = 0;
  /** Ready, and a person who is in no cache yet is found. */
  const answers = () => {
    lastId = (lastId % 900) + 1;
    return get("/health/ready").status === "200" && get(`/api/v1/passports/${lastId}`).status === "200";
  };
  const CACHED = "/api/v1/passports?per_page=2";
  const seconds: Record<string, number> = {};
  const recover = async (name: string, fault: () => void) => {
    assert.equal(get(CACHED).status, "200");
    fault();
    const started = performance.now();
    await waitFor(`an answer after: ${name}`, answers);
    const passed = Math.round((performance.now() - started) / 100) / 10;
    seconds[name] = Math.max(seconds[name] ?? 0, passed);
    process.stderr.write(`${name}: ${passed} s\n`);
  };
  const list = () => createHash("sha256").update(get("/api/v1/passports?per_page=100").body).digest("hex");
  const version = () => JSON.parse(get("/health/ready").body || "{}").version;

  writeSettings(IMAGE);
  try {
    sh("./set-up.sh");
    const [start = "", ...use] = SECTIONS.map(commandsOf)
      .join("")
      .split(/(?<=up --detach\n)/);
    follow(start);
    await waitFor("the first answer", () => get("/health/ready").status === "200");
    follow(use.join(""));
    // The last commands restored a backup.
    await waitFor("an answer after the restore", answers);
    const before = list();

    await recover("server killed", () => {
      const pid = docker.engine("inspect", "--format", "{{.State.Pid}}", container("server")).trim();
      process.kill(Number(pid), "SIGKILL");
    });
    await recover("server restarted", () => void docker.engine("restart", "--time", "30", container("server")));
    await recover("server moved, while its address is taken", () => {
      docker.engine("stop", "--time", "30", container("server"));
      assert.equal(get(CACHED).status, "200", "a stored answer is served while the server is away");
      sh(`docker-compose run -d --name ${project}_guest admin work`);
      docker.engine("start", container("server"));
    });
    docker.engine("rm", "--force", `${project}_guest`);
    await recover("server removed and created again", () => {
      docker.engine("rm", "--force", container("server"));
      assert.equal(get(CACHED).status, "200", "a stored answer is served while the server is away");
      sh("docker-compose up --detach");
    });
    await recover("database restarted", () => void docker.engine("restart", "--time", "30", container("database")));
    for (let round = 0; round < rounds; round += 1) {
      const stopped = shuffle(SERVICES).slice(0, 1 + randomInt(SERVICES.length));
      await recover("containers stopped and started in random order", () => {
        for (const service of stopped) docker.engine("stop", "--time", "30", container(service));
        for (const service of shuffle(stopped)) docker.engine("start", container(service));
      });
    }
    assert.equal(list(), before);

    const upgrade = commandsBeginning("Upgrade with compose", "docker compose up");
    for (const [image, expected] of [
      [NEXT_IMAGE, NEXT_VERSION],
      [IMAGE, manifest.version],
    ] as const) {
      writeSettings(image);
      sh("./set-up.sh");
      await recover(`replaced by version ${expected}`, () => void follow(upgrade));
      // The proxy may send a last request to the server that is stopping.
      await waitFor(`version ${expected}`, version, (found) => found === expected);
      assert.equal(list(), before, "nobody is lost");
    }
    const late = Object.entries(seconds).filter(([, passed]) => passed > MAX_SECONDS);
    return { seconds, rounds, not_met: late.map(([name, passed]) => `${name}: ${passed} s`) };
  } finally {
    sh("docker-compose down --volumes --timeout 1 || true");
  }
}
