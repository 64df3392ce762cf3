import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { builtPackages } from "../release/install-packages.ts";
import { refreshStanding } from "../service/src/list/manage/refresh-standing.ts";
import { savePeople } from "../service/src/people/write/save-people.ts";
import { testDatabase } from "../service/testing/database.ts";
import { signedRequest } from "../service/testing/holders.ts";
import { person } from "../service/testing/people.ts";
import { startShell, stopShell } from "../service/testing/shell.ts";
import { UNLIMITED } from "../service/testing/unlimited.ts";
import { evmWallet } from "../service/testing/wallets.ts";
import { openCompose, WITH_SECOND } from "./testing/compose.ts";
import { openContainers } from "./testing/containers.ts";
import { commandsBeginning, commandsOf } from "./testing/install-guide.ts";
import { APP_OUTPUT, recipeOf, standIn } from "./testing/stand-in.ts";

const root = join(import.meta.dirname, "..");
const IMAGE = `localhost/credence:${manifest.version}`;
const MAX_ARCHIVE_MB = 60;
/** As docs/reference/packages.md recommends. */
const RESTRICTIONS = [
  ...(/alias run='podman run --rm (.*)'/.exec(commandsOf("As a container"))?.[1] ?? "").split(" "),
  ...["--memory", "384m"],
];

const containers = openContainers();
const { folder, env, run, close } = containers;
afterAll(close);
const archive = join(folder, `image/credence-${manifest.version}-image.tar`);
beforeAll(async () => {
  const packages = join(await builtPackages(), "packages");
  run(process.execPath, "release/image.ts", "--out", folder, "--packages", packages);
}, 600_000);

describe("the container image", () => {
  test(`is an archive of at most ${MAX_ARCHIVE_MB} MB`, () => {
    expect(statSync(archive).size / 1e6).toBeLessThanOrEqual(MAX_ARCHIVE_MB);
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

  test("runs the demo, as docs/reference/packages.md says", async () => {
    const [command = ""] = /^podman run .* demo$/m.exec(commandsOf("As a container")) ?? [];
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

test("a program with the old host in its code works in a container with the recipe of docs/reference/old-host-names.md", async () => {
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

/** The proxy reads them too. */
const PROXY_SETTINGS =
  "V1_ALSO_AT=/api/v2, /old/v1\\nRATE_LIMIT_EXEMPT=203.0.113.0/24\\nV1_DEPRECATED_AT=2025-04-01\\nOPERATOR_CONTACT=ops@example.org\\n";

describe("compose.yaml", () => {
  test("starts everything, and V1 conforms through the proxy", { timeout: 600_000 }, async () => {
    const compose = await openCompose(containers);
    const { place, address, inCompose, containerOf, curl, waitUntilReady, ports } = compose;
    // Those after the start wait until the server is ready.
    const [start = "", use = ""] = compose.commands(PROXY_SETTINGS).split(/(?<=up --detach\n)/);
    inCompose("sh", "-ec", start);
    await waitUntilReady();
    const used = inCompose("sh", "-ec", use);
    expect(used).toContain('"pagination":{"current_page":1,');
    expect(used).toContain("credence_workers 1");
    expect(used).toMatch(/^The backup is complete\.$/m);
    expect(used).not.toMatch(/^credence\w+ nan$/im);
    for (const private_ of ["data", "secrets"]) expect(statSync(join(place, private_)).mode & 0o077).toBe(0);
    const [backup = ""] = globSync("data/backups/credence-*.dump", { cwd: place });
    expect(statSync(join(place, backup)).size).toBeGreaterThan(0);
    expect(statSync(join(place, "data/decisions/decisions.ndjson")).mode & 0o777).toBe(0o600);
    const redirect = curl("--head", `http://localhost:${ports.http}/health/ready?a=b`);
    expect(redirect).toContain(`Location: ${address}/health/ready?a=b`);
    const runHere = (...args: string[]): string =>
      spawnSync(process.execPath, args, { cwd: root, env: compose.env, encoding: "utf8" }).stdout;
    const askKit = () => {
      const kit = runHere("conformance/bin/credence-conformance.js", address);
      return { failed: kit.split("\n").filter((line) => line.startsWith("fail")), conforms: kit.includes("conforms") };
    };
    // A busy machine may answer 503 at first.
    await expect.poll(askKit).toEqual({ failed: [], conforms: true });
    const { checks } = JSON.parse(runHere("service/bin/credence.js", "doctor", "--json", "--url", address));
    expect(checks.filter(({ state }: { state: string }) => state !== "ok")).toEqual([]);

    // Of the script `credence`: only the command's output, its exit code, and its input, from any folder.
    const createKey = `cd / && "$OLDPWD/credence" keys create --label "it's one" --contact a@example.org`;
    expect(inCompose("sh", "-ec", createKey)).toMatch(/^crd_\w{48}\n$/);
    const doctor = JSON.parse(inCompose("./credence", "doctor", "--json"));
    const isNoSuperuser = "credence_owner owns the tables, and is no superuser";
    expect(doctor.checks).toContainEqual({ name: "owner", state: "ok", finding: isNoSuperuser });
    const options = { cwd: place, env: compose.env, encoding: "utf8", input: "no person\n" } as const;
    expect(spawnSync(join(place, "credence"), ["import", "-"], options)).toMatchObject({
      status: 3,
      stdout: expect.stringMatching(/^Read 1 line/),
    });

    // A restore: nothing is served until the file of decisions is imported, with who hid since the backup.
    inCompose("./credence", "passport", "hide", "7", "--yes");
    const follow = (words: string): string =>
      commandsBeginning("Restore with compose", words).replaceAll("docker compose", "podman-compose");
    const restore = () => inCompose("sh", "-ec", `exec 2>&1; ${follow("docker compose stop")}`);
    expect(restore()).toMatch(/^The backup is in place\.$/m);
    for (const lost of ["credence", "credence_before"])
      inCompose("sh", "-ec", `podman-compose exec -T database dropdb --username=credence_owner ${lost}`);
    expect(restore()).toMatch(/^No old database was put aside\.[\s\S]*^The backup is in place\.$/m);
    const decisions = join(place, "data/decisions/decisions.ndjson");
    const hidden = readFileSync(decisions);
    // Not by writeFileSync: Debian's kernel settings forbid root to create a file over one of another user there.
    truncateSync(decisions, hidden.length - 10);
    expect(() => inCompose("sh", "-ec", follow("./credence migrate"))).toThrow("is not a line of a file of decisions");
    expect(inCompose("podman", "ps", "--format", "{{.Names}}")).not.toContain(containerOf("server"));
    // As a copy of root arrives, from another machine.
    rmSync(decisions);
    writeFileSync(decisions, hidden, { mode: 0o600 });
    expect(() => inCompose("sh", "-ec", follow("./credence migrate"))).toThrow("EACCES");
    inCompose("./set-up.sh");
    inCompose("sh", "-ec", follow("./credence migrate"));
    await waitUntilReady();
    // A busy machine may answer 503 at first.
    expect(curl("--retry", "20", `${address}/api/v1/passports/7`)).toContain('"not_found"');
    expect(curl("--retry", "20", `${address}/api/v1/passports/8`)).toContain('"passport_id":8');
    expect(inCompose("sh", "-ec", `exec 2>&1; ${follow("docker compose exec -T database dropdb")}`)).toContain(
      "exit code: 0",
    );

    // The proxy has the settings of credence.env, and serves a certificate that certbot installs.
    const refusal = curl("--include", "--http1.1", `${address}/old/v1/passports/1%00`);
    expect(refusal).toMatch(/404 Not Found.*deprecation: @1743465600.*"not_found"/is);
    mkdirSync(join(place, "data/acme/.well-known/acme-challenge"), { recursive: true });
    writeFileSync(join(place, "data/acme/.well-known/acme-challenge/token"), "a challenge");
    expect(curl(`http://localhost:${ports.http}/.well-known/acme-challenge/token`)).toBe("a challenge");
    const create = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost";
    const files = "-addext subjectAltName=DNS:localhost -keyout privkey.pem -out fullchain.pem";
    inCompose("sh", "-ec", `mkdir new; cd new; ${create} ${files}`);
    const isServed = () => {
      const args = ["--silent", "--cacert", "new/fullchain.pem", `${address}/health/live`];
      return spawnSync("curl", args, { cwd: place, stdio: "ignore" }).status === 0;
    };
    expect(isServed()).toBe(false);
    const certbot = 'certbot() { for hook; do :; done; RENEWED_LINEAGE=$PWD/new sh -ec "$hook"; }\n';
    inCompose("sh", "-ec", certbot + commandsBeginning("With compose", "certbot"));
    await expect.poll(isServed).toBe(true);

    // The proxy has no network with PostgreSQL, whose network leads nowhere else.
    const [front, back] = [`${compose.project}_front`, `${compose.project}_back`] as const;
    expect([compose.networksOf("proxy"), compose.networksOf("database")]).toEqual([front, back]);
    expect(inCompose("podman", "network", "inspect", "--format", "{{.Internal}}", back)).toBe("true\n");

    expect(curl("--retry", "10", `${address}/holder`)).toContain('name="wallet"');
    // The thread that checks signatures runs in the image.
    const holderKey = readFileSync(join(place, "secrets/holder-key"), "utf8").trim();
    const signing = { publicUrl: address, key: holderKey, isReviewed: true };
    const signed = signedRequest(evmWallet("a holder"), "hide", signing);
    const sent = curl(
      // The kit and doctor have spent the limit of this address.
      ...["--retry", "10", "--write-out", " %{http_code}"],
      ...["--json", JSON.stringify(signed)],
      `${address}/holder/requests`,
    );
    expect(sent).toMatch(/ 202$/);
    expect(inCompose("podman", "logs", containerOf("worker"))).toContain('"holderRequests":"review"');

    // In the container, root may not read the files of nginx: the script becomes its user.
    const inProxy = ["podman", "exec", containerOf("proxy"), "/bin/sh"] as const;
    const script = "/etc/credence/delete-old-copies.sh";
    inCompose(...inProxy, script, "/var/cache/nginx/credence");

    // Only the proxy can be reached from outside, and metrics from this machine.
    const published = inCompose("podman", "ps", "--format", "{{.Names}} {{.Ports}}").split("\n");
    const metricsPort = `127.0.0.1:${ports.metrics}->9090`;
    const outside = published.filter((line) => line.includes("->") && !line.includes(metricsPort));
    expect(outside.map((line) => line.split(" ")[0])).toEqual([containerOf("proxy")]);

    // The proxy follows a server that was killed, and one with another address.
    const server = containerOf("server");
    const before = compose.addressesOf("server");
    inCompose("podman", "kill", server);
    inCompose("podman", "start", server);
    await waitUntilReady();
    inCompose("podman", "rm", "--force", "--time", "0", server);
    expect(curl("--write-out", "%{http_code}", `${address}/api/v1/passports`)).toMatch(/200$/);
    inCompose("podman-compose", "up", "--detach");
    await waitUntilReady();
    expect(compose.addressesOf("server")).not.toBe(before);

    // With a second server, no request fails while one is down.
    expect(readFileSync(join(root, "docs/reference/tuning.md"), "utf8")).toContain(
      `compose ${WITH_SECOND.join(" ")} up --detach`,
    );
    inCompose("podman", "rm", "--force", "--time", "0", containerOf("proxy"));
    inCompose("podman-compose", ...WITH_SECOND, "up", "--detach");
    // The image of nginx has no programs but its own.
    const countServers = "while read -r line; do echo; done < /run/credence-servers.conf";
    const servers = () => inCompose(...inProxy, "-c", countServers).length;
    await expect.poll(servers).toBe(2);
    const metrics = () => curl("--retry", "20", `http://127.0.0.1:${ports.metrics2}/metrics`);
    await expect.poll(metrics).toMatch(/^credence_ready 1$/m);
    const statusesOf = (path: string) =>
      curl("--output", "/dev/null", "--write-out", "%{http_code}\n", `${address}${path}`);
    // nginx has read the new list when it sends requests to the second server. None of these is cached.
    const answered = () => statusesOf(`/api/v1/passports/[1-2]?at=${Date.now()}`) && metrics();
    const counted = /^credence_http_requests_total\{route="\/api\/v1\/passports\/:id".* [1-9]/m;
    await expect.poll(answered, { interval: 500 }).toMatch(counted);
    inCompose("podman", "kill", server);
    const statuses = statusesOf("/api/v1/passports/[1-20]").trim().split("\n");
    expect(statuses).toHaveLength(20);
    expect(statuses.filter((status) => status !== "200" && status !== "404")).toEqual([]);
    expect(statuses).toContain("200");
  });
});
