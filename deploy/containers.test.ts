import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { builtPackages } from "../release/install-packages.ts";
import { refreshStanding } from "../service/src/list/manage/refresh-standing.ts";
import { savePeople } from "../service/src/people/write/save-people.ts";
import { testDatabase } from "../service/testing/database.ts";
import { findFreePorts } from "../service/testing/free-ports.ts";
import { signedRequest } from "../service/testing/holder-client.ts";
import { changeNetwork } from "../service/testing/network-lock.ts";
import { person } from "../service/testing/people.ts";
import { startShell, stopShell } from "../service/testing/shell.ts";
import { UNLIMITED } from "../service/testing/unlimited.ts";
import { evmWallet } from "../service/testing/wallets.ts";
import { whenDone } from "../service/testing/when-done.ts";
import { openContainers } from "./testing/containers.ts";
import { buildTestImages } from "./testing/debian-images.ts";
import { commandsOf } from "./testing/install-guide.ts";
import { APP_OUTPUT, recipeOf, standIn } from "./testing/stand-in.ts";

const root = join(import.meta.dirname, "..");
const IMAGE = `localhost/credence:${manifest.version}`;
const MAX_ARCHIVE_MB = 60;
/** As docs/INSTALL.md recommends. */
const RESTRICTIONS = [
  ...(/alias run='podman run --rm (.*)'/.exec(commandsOf("As a container"))?.[1] ?? "").split(" "),
  ...["--memory", "384m"],
];

const { folder, env, run, close } = openContainers();
afterAll(close);
/** Builds the image in a folder of its own. Returns the archive. */
const buildImage = (name: string, ...options: string[]): string => {
  run(process.execPath, "release/image.ts", "--out", join(folder, name), ...options);
  return join(folder, name, `image/credence-${manifest.version}-image.tar`);
};
let archive = "";
beforeAll(async () => {
  archive = buildImage("first", "--packages", join(await builtPackages(), "packages"));
}, 600_000);

describe("the container image", () => {
  test(`is an archive of at most ${MAX_ARCHIVE_MB} MB, and a second build gives the same bytes`, {
    timeout: 600_000,
  }, () => {
    expect(statSync(archive).size / 1e6).toBeLessThanOrEqual(MAX_ARCHIVE_MB);
    expect(readFileSync(buildImage("second")).equals(readFileSync(archive))).toBe(true);
  });

  test("has its name in the archive", () => {
    expect(run("podman", "load", "--input", archive)).toContain(`Loaded image: ${IMAGE}`);
  });

  test("states version and revision, and runs as a fixed user", () => {
    const { config } = JSON.parse(run("skopeo", "inspect", "--config", `containers-storage:${IMAGE}`));
    const revision = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
    expect(config).toMatchObject({ User: "10001:10001", Cmd: ["serve"] });
    expect(config.Labels).toMatchObject({
      "org.opencontainers.image.version": manifest.version,
      "org.opencontainers.image.revision": revision,
    });
  });

  test("contains no shell, no package manager, no sources or tests of ours, no native module", () => {
    const mounted = run("podman", "image", "mount", IMAGE).trim();
    const files = globSync("**/*", { cwd: mounted });
    run("podman", "image", "unmount", IMAGE);
    expect(files).toContain("usr/local/bin/node");
    expect(files.filter((file) => /\/(sh|bash|dash|busybox|npm|npx|apt|dpkg|perl)$|\.node$/.test(file))).toEqual([]);
    expect(files.filter((file) => /node_modules\/@?credence\/.*(\.ts|\.test\.js)$/.test(file))).toEqual([]);
  });

  test("runs the demo, as README.md says", async () => {
    const [command = ""] = /^podman run .* demo$/m.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
    const { url } = await testDatabase();
    const demo = startShell(`${command} --port 0`, folder, { ...env, DATABASE_URL: url });
    await expect.poll(() => demo.output()).toContain("Credence is serving");
    stopShell(demo.process);
    expect(await demo.ended).toMatchObject({ code: 0 });
  });

  test("serves in 256 MiB with a read-only root and no capabilities, and loses no request on SIGTERM", async () => {
    const { url, database } = await testDatabase();
    await savePeople(database, [person(1)]);
    await refreshStanding(database);
    const ports = { HOST: "127.0.0.1", PORT: "0", PRIVATE_PORT: "0" };
    const settings = { DATABASE_URL: url, ...ports, DRAIN_DELAY: "2s", ...UNLIMITED };
    const names = Object.keys(settings).flatMap((name) => ["--env", name]);
    const server = spawn("podman", ["run", "--rm", "--name", "credence", ...RESTRICTIONS, ...names, IMAGE], {
      env: { ...env, ...settings },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = once(server, "exit");
    let output = "";
    for (const stream of [server.stdout, server.stderr]) stream.on("data", (chunk) => (output += chunk));
    await expect.poll(() => output).toContain('"serving"');
    const { address } = JSON.parse(output.split("\n").find((line) => line.includes('"serving"')) as string);
    const health = ["/app/node_modules/credence/bin/credence.js", "health", "--port", new URL(address).port];
    expect(run("podman", "exec", "credence", "/usr/local/bin/node", ...health)).toContain("ready: version");

    let answered = 0;
    let isStopping = false;
    const failed: string[] = [];
    const client = async () => {
      for (;;) {
        try {
          const response = await fetch(`${address}/api/v1/passports/1`);
          await response.text();
          if (response.status !== 200) failed.push(String(response.status));
          answered += 1;
        } catch (error) {
          // Once the port is closed, connections are refused.
          const { code } = Object((error as Error).cause);
          if (!isStopping || code !== "ECONNREFUSED") failed.push(String(code));
          return;
        }
      }
    };
    const clients = Array.from({ length: 8 }, client);
    await expect.poll(() => answered).toBeGreaterThan(500);
    isStopping = true;
    run("podman", "kill", "--signal", "TERM", "credence");
    await Promise.all(clients);
    expect(failed).toEqual([]);
    expect(await ended).toEqual([0, null]);
  });
});

test("a program with the old host in its code works in a container with the recipe of docs/TAKE-OVER.md", async () => {
  const { folder: app, address } = await standIn();
  const before = readFileSync("/etc/hosts", "utf8");
  // The image of Credence has Node. The network of the machine, because its nginx is there.
  const program = `--network host --volume ./app.mjs:/app.mjs:ro --entrypoint /usr/local/bin/node ${IMAGE} /app.mjs`;
  const command = recipeOf("container", address).replace("YOUR-APP", program);
  // Credence runs in this process, so it must not wait.
  const { stdout } = await promisify(execFile)("sh", ["-ec", command], { cwd: app, env });
  expect(stdout).toBe(APP_OUTPUT);
  expect(readFileSync("/etc/hosts", "utf8")).toBe(before);
});

/** With a second server, as docs/INSTALL.md says. */
const WITH_SECOND = ["--file", "compose.yaml", "--file", "second-server.yaml"];

describe("compose.yaml", () => {
  test("starts everything, and V1 conforms through the proxy", { timeout: 600_000 }, async () => {
    const images = buildTestImages(join(folder, "images"), env);
    const releaseNetwork = await changeNetwork();
    // In a copy, because secrets are created beside compose.yaml. podman-compose names the project and
    // its network after the folder; networks are common to all image stores.
    const compose = join(folder, "deploy", basename(folder).toLowerCase());
    mkdirSync(join(folder, "deploy"));
    cpSync(join(root, "deploy/compose"), compose, { recursive: true });
    cpSync(join(root, "deploy/nginx"), join(folder, "deploy/nginx"), { recursive: true });
    const [httpsPort, httpPort, metricsPort, metricsPort2] = await findFreePorts(4);
    const address = `https://localhost:${httpsPort}`;
    const settings = {
      POSTGRES_IMAGE: images.postgres,
      NGINX_IMAGE: images.nginx,
      HTTP_PORT: String(httpPort),
      HTTPS_PORT: String(httpsPort),
      METRICS_PORT: String(metricsPort),
      METRICS_PORT_2: String(metricsPort2),
      NODE_EXTRA_CA_CERTS: join(compose, "secrets/tls/fullchain.pem"),
    };
    const inCompose = (command: string, ...args: string[]): string =>
      execFileSync(command, args, { cwd: compose, env: { ...env, ...settings }, encoding: "utf8", stdio: "pipe" });
    whenDone(async () => {
      inCompose("podman-compose", ...WITH_SECOND, "down", "--volumes", "--timeout", "1");
      run("podman", "network", "rm", `${basename(compose)}_default`);
      await releaseNetwork();
    });

    // The commands of docs/INSTALL.md. Those after the start wait until the server is ready.
    const commands = commandsOf("With compose")
      .replace("cd deploy/compose\n", "")
      .replaceAll("docker compose", "podman-compose")
      // A busy machine may answer 503 at first.
      .replaceAll("curl ", "curl --silent --retry 20 ")
      .replaceAll("https://localhost/", `${address}/`)
      .replaceAll("127.0.0.1:9090", `127.0.0.1:${metricsPort}`)
      // An operator sets it in the file.
      .replace("./set-up.sh\n", `./set-up.sh\nsed -i s,^PUBLIC_URL=.*,PUBLIC_URL=${address}, credence.env\n`);
    const [start = "", use = ""] = commands.split(/(?<=up --detach\n)/);
    inCompose("sh", "-ec", start);
    const findStatus = (): string => {
      try {
        const quiet = ["--silent", "--insecure", "--output", "/dev/null", "--write-out", "%{http_code}"];
        return inCompose("curl", ...quiet, `${address}/health/ready`);
      } catch (error) {
        return String(error);
      }
    };
    const waitUntilReady = async (): Promise<void> => {
      try {
        await expect.poll(findStatus, { timeout: 300_000 }).toBe("200");
      } catch (error) {
        const show = (...args: string[]): string => spawnSync("podman", args, { env, encoding: "utf8" }).stdout;
        const names = ["database", "server", "proxy"].map((service) => `${basename(compose)}_${service}_1`);
        const logs = names.map((name) => `${name}\n${show("logs", "--tail", "10", name)}`);
        throw new Error([show("ps", "--all"), ...logs].join("\n"), { cause: error });
      }
    };
    await waitUntilReady();
    // `npm run prove -- compose` also restores.
    const [useWithoutRestore = ""] = use.split("podman-compose stop server worker");
    const used = inCompose("sh", "-ec", useWithoutRestore);
    expect(used).toContain('"pagination":{"current_page":1,');
    expect(used).toContain("credence_workers 1");
    // The tables in the backup.
    expect(used).toMatch(/^5\d$/m);
    expect(used).not.toMatch(/^credence\w+ nan$/im);
    for (const private_ of ["data", "secrets"]) expect(statSync(join(compose, private_)).mode & 0o077).toBe(0);
    const [backup = ""] = globSync("data/backups/credence-*.dump", { cwd: compose });
    expect(statSync(join(compose, backup)).size).toBeGreaterThan(0);
    expect(statSync(join(compose, "data/protections/protections.ndjson")).mode & 0o777).toBe(0o600);
    const redirect = inCompose("curl", "--silent", "--head", `http://localhost:${httpPort}/health/ready?a=b`);
    expect(redirect).toContain(`location: ${address}/health/ready?a=b`.replace("location", "Location"));
    const runHere = (...args: string[]): string =>
      spawnSync(process.execPath, args, { cwd: root, env: { ...env, ...settings }, encoding: "utf8" }).stdout;
    const kit = runHere("conformance/bin/credence-conformance.js", address);
    expect(kit.split("\n").filter((line) => line.startsWith("fail"))).toEqual([]);
    expect(kit).toContain("conforms");
    const { checks } = JSON.parse(runHere("service/bin/credence.js", "doctor", "--json", "--url", address));
    expect(checks.filter(({ state }: { state: string }) => state !== "ok")).toEqual([]);

    expect(inCompose("curl", "--silent", "--retry", "10", "--insecure", `${address}/holder`)).toContain(
      'name="wallet"',
    );
    // The thread that checks signatures runs in the image.
    const holderKey = readFileSync(join(compose, "secrets/holder-key"), "utf8").trim();
    const wish = { action: "hide", passportId: 1 } as const;
    const signed = signedRequest(evmWallet("a holder"), wish, address, new Date(), holderKey);
    const receipt = inCompose(
      // The kit and doctor have spent the limit of this address.
      ...["curl", "--silent", "--retry", "10", "--insecure", "--write-out", " %{http_code}"],
      ...["--json", JSON.stringify(signed)],
      `${address}/holder/requests`,
    );
    expect(receipt).toMatch(/ 202$/);
    const workerLog = inCompose("podman", "logs", `${basename(compose)}_worker_1`);
    expect(workerLog).toContain('"holderRequests":"review"');

    // In the container, root may not read the files of nginx: the script becomes its user.
    const inProxy = ["podman", "exec", `${basename(compose)}_proxy_1`, "/bin/sh"] as const;
    const script = "/etc/credence/delete-old-copies.sh";
    inCompose(...inProxy, script, "/var/cache/nginx/credence");

    // Only the proxy can be reached from outside, and metrics from this machine.
    const published = inCompose("podman", "ps", "--format", "{{.Names}} {{.Ports}}").split("\n");
    const outside = published.filter((line) => line.includes("->") && !line.includes(`127.0.0.1:${metricsPort}->9090`));
    expect(outside.map((line) => line.split(" ")[0])).toEqual([`${basename(compose)}_proxy_1`]);

    // The proxy follows a server that was killed, and one with another address.
    const server = `${basename(compose)}_server_1`;
    const findAddress = () =>
      inCompose("podman", "inspect", "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", server);
    const before = findAddress();
    inCompose("podman", "kill", server);
    inCompose("podman", "start", server);
    await waitUntilReady();
    inCompose("podman", "rm", "--force", "--time", "0", server);
    const stale = `${address}/api/v1/passports`;
    expect(inCompose("curl", "--silent", "--insecure", "--write-out", "%{http_code}", stale)).toMatch(/200$/);
    inCompose("podman-compose", "up", "--detach");
    await waitUntilReady();
    expect(findAddress()).not.toBe(before);

    // With a second server, no request fails while one is down.
    expect(readFileSync(join(root, "docs/INSTALL.md"), "utf8")).toContain(
      `compose ${WITH_SECOND.join(" ")} up --detach`,
    );
    inCompose("podman", "rm", "--force", "--time", "0", `${basename(compose)}_proxy_1`);
    inCompose("podman-compose", ...WITH_SECOND, "up", "--detach");
    // The image of nginx has no programs but its own.
    const countServers = "while read -r line; do echo; done < /run/credence-servers.conf";
    const servers = () => inCompose(...inProxy, "-c", countServers).length;
    await expect.poll(servers).toBe(2);
    const metrics = () => inCompose("curl", "--silent", "--retry", "20", `http://127.0.0.1:${metricsPort2}/metrics`);
    await expect.poll(metrics).toMatch(/^credence_ready 1$/m);
    inCompose("podman", "kill", server);
    const statuses = Array.from({ length: 20 }, (_, index) =>
      inCompose(
        "curl",
        "--silent",
        "--insecure",
        "--output",
        "/dev/null",
        "--write-out",
        "%{http_code}",
        `${address}/api/v1/passports/${index + 1}`,
      ),
    );
    expect(statuses.filter((status) => status !== "200" && status !== "404")).toEqual([]);
    expect(statuses).toContain("200");
  });
});
