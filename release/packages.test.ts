import { execFile, execFileSync, spawn } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFaultServer } from "../client/testing/fault-server.ts";
import rootManifest from "../package.json" with { type: "json" };
import { inventDemoPeople } from "../service/src/demo/invent/population.ts";
import { issueKey } from "../service/src/keys/manage/issue-key.ts";
import { refreshStanding } from "../service/src/list/manage/refresh-standing.ts";
import { savePeople } from "../service/src/people/write/save-people.ts";
import { runCommand, startCommand, startServing } from "../service/testing/command.ts";
import { testDatabase } from "../service/testing/database.ts";
import { HOLDER_ENVIRONMENT, post } from "../service/testing/holder-client.ts";
import { signedRequest } from "../service/testing/holders.ts";
import { request, sendRaw } from "../service/testing/raw-http.ts";
import { SERVE_ROLE, urlOf } from "../service/testing/server.ts";
import { startShell } from "../service/testing/shell.ts";
import { evmWallet } from "../service/testing/wallets.ts";
import { whenDone } from "../service/testing/when-done.ts";
import { COMPILERS, installClient, writeConsumer } from "./client-consumer.ts";
import { installPackages } from "./install-packages.ts";
import { PACKAGES } from "./packages.ts";

/** The size of a production install on disk, in MB. */
const MAX_INSTALL_MB = 45;

const MAX_CLIENT_BYTES = 3_500;

const folder = mkdtempSync(join(tmpdir(), "credence-packages-"));
const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const bin = (name: string): string => join(folder, "node_modules/.bin", name);

beforeAll(() => installPackages(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAMS = PACKAGES.filter(({ isLibrary }) => !isLibrary);

describe("the installed packages", () => {
  const files = (name: string): string[] => globSync("**/*", { cwd: join(folder, "node_modules", name) });

  test("contain compiled files only: no TypeScript, tests, proofs or bench", () => {
    for (const { name } of PROGRAMS) {
      expect(files(name).length).toBeGreaterThan(20);
      expect(files(name).filter((file) => /\.ts$|\.test\.|testing|proofs|bench/.test(file))).toEqual([]);
    }
  });

  test("state version, license and engines", () => {
    for (const { name, isLibrary } of PACKAGES) {
      const manifest = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"));
      expect(manifest).toMatchObject({
        version: rootManifest.version,
        license: "Apache-2.0",
        engines: isLibrary ? { node: ">=20.3" } : rootManifest.engines,
      });
      expect(manifest).not.toHaveProperty("private");
    }
  });

  test(`take at most ${MAX_INSTALL_MB} MB on disk`, () => {
    const bytes = globSync("node_modules/**/*", { cwd: folder })
      .map((file) => statSync(join(folder, file)))
      .reduce((total, stat) => total + (stat.isFile() ? Math.ceil(stat.size / 4096) * 4096 : 0), 0);
    expect(bytes / 1_000_000).toBeLessThanOrEqual(MAX_INSTALL_MB);
  });

  test("run the demo, as docs/reference/packages.md says", async () => {
    const page = readFileSync(join(import.meta.dirname, "../docs/reference/packages.md"), "utf8");
    const [, program = "", command = ""] = /^\.\/try\/(\S+) (demo)$/m.exec(page) ?? [];
    const { url } = await testDatabase("template template0 encoding 'UTF8'");
    const demo = startShell(`./${program} ${command} --port 0`, folder, { DATABASE_URL: url });
    await expect.poll(() => demo.output()).toContain("Credence is serving");
  });

  test("migrate, generate, import, export and serve without the repository", async () => {
    const { url } = await testDatabase("template template0 encoding 'UTF8'");
    // biome-ignore lint/style/noProcessEnv: a child needs PATH and the like.
    const env = { ...process.env, DATABASE_URL: url, NO_COLOR: "1" };
    const credence = (...args: string[]) =>
      execFileSync(bin("credence"), args, { cwd: folder, encoding: "utf8", env, stdio: ["ignore", "pipe", "pipe"] });
    expect(credence("--version")).toBe(`${rootManifest.version}\n`);
    expect(credence("migrate")).toContain("up to date");
    credence("generate", "--people", "100", "--out", "./snapshot");
    expect(JSON.parse(credence("import", "./snapshot", "--json"))).toMatchObject({ added: 100, refused: 0 });
    credence("export", "./exported");
    const expected = await runCommand(["export", join(folder, "expected")], { DATABASE_URL: url });
    expect(expected.code).toBe(0);
    const people = (name: string) => readFileSync(join(folder, name, "people-00001.ndjson.zst"));
    expect(people("exported").equals(people("expected"))).toBe(true);
    credence("work", "--until-done");

    const server = spawn(bin("credence"), ["serve"], { cwd: folder, env: { ...env, PORT: "0", PRIVATE_PORT: "0" } });
    try {
      let log = "";
      server.stdout.on("data", (chunk) => (log += chunk));
      await expect.poll(() => log).toContain('"serving"');
      const { address } = JSON.parse(log.split("\n").find((line) => line.includes('"serving"')) as string);
      for (const path of ["/api/v1/passports", "/docs", "/openapi.json", "/health/ready"]) {
        expect((await fetch(address + path)).status, path).toBe(200);
      }
      const kit = run(bin("credence-conformance"), [address, "--level", "spec"], folder);
      expect(kit).toContain("conforms");
    } finally {
      server.kill("SIGTERM");
    }
  });
});

describe("while the program runs, its files are deleted", async () => {
  const { database, name, url } = await testDatabase();
  await savePeople(database, inventDemoPeople());
  await refreshStanding(database);
  const DATABASE_URL = urlOf(name, SERVE_ROLE);
  const environment = {
    ...{ ...HOLDER_ENVIRONMENT, PUBLIC_URL: "https://v1.example" },
    ...{ DATABASE_URL, DRAIN_DELAY: "0s", CACHE_MAX_AGE: "0s" },
  };

  /** A copy of the installed packages. Moving it away and back takes less time than deleting it. */
  function copyProgram() {
    const copy = mkdtempSync(join(tmpdir(), "credence-copy-"));
    const program = join(copy, "node_modules/.bin/credence");
    cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
    const remove = () => renameSync(copy, `${copy}-away`);
    whenDone(() => {
      for (const path of [copy, `${copy}-away`]) rmSync(path, { recursive: true, force: true });
    });
    return { program, remove };
  }

  const REQUESTS = [
    request("/api/v1/passports"),
    request("/api/v1/passports?keyword=a&per_page=1"),
    request("/api/v1/passports/1"),
    request("/api/v1/passports/1", [], "HEAD"),
    request("/api/v1/passports/1", ["Origin: https://app.example", "Access-Control-Request-Method: GET"], "OPTIONS"),
    request("/api/v1/passports/1", [], "POST"),
    request("/api/v1/passports/999999999"),
    request("/api/v1/passports/1", ["X-API-KEY: unknown"]),
    request("/api/v1/passport_credentials?passport_id=1"),
    request(`/${"x".repeat(9_000)}`),
    request("/nowhere"),
    request("/docs", ["Accept-Encoding: br"]),
    ...["/docs", "/docs.md", "/llms.txt", "/openapi.json", "/health/live"].map((path) => request(path)),
    "not HTTP\r\n\r\n",
  ];
  async function ask(address: string) {
    const responses = await Promise.all(REQUESTS.map((bytes) => sendRaw(address, bytes)));
    return responses.map(({ status, body, headers }) => ({ status, body, type: headers["content-type"] }));
  }

  test("all responses stay the same", async () => {
    const intact = await startServing(environment);
    const { program, remove } = copyProgram();
    const server = await startServing(environment, [], program);
    remove();
    const expected = await ask(intact.address);
    expect(new Set(expected.map(({ status }) => status))).toEqual(new Set([200, 204, 400, 401, 404, 405, 414]));
    expect(await ask(server.address)).toEqual(expected);
    expect(await (await fetch(`${server.privateAddress}/metrics`)).text()).toContain("credence_http_requests_total");
    const signed = signedRequest(evmWallet("a holder"), "hide");
    expect((await post(`${server.address}/holder/requests`, signed)).status).toBe(202);

    // Connections to the database and keys are loaded again.
    await database.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and datname = $2", [
      SERVE_ROLE,
      name,
    ]);
    const { token } = await issueKey(database, { label: "test", contact: "test", expiresAt: null });
    const get = () =>
      fetch(`${server.address}/api/v1/passports/1`, {
        headers: { "X-API-KEY": token, Connection: "close" },
        signal: AbortSignal.timeout(1_000),
      }).catch(() => null);
    await expect.poll(async () => (await get())?.status).toBe(200);

    server.process.kill("SIGTERM");
    expect((await server.ended).code).toBe(0);
  });

  test("a worker goes on", async () => {
    const { program, remove } = copyProgram();
    const signed = signedRequest(evmWallet("another holder"), "hide");
    const server = await startServing(environment);
    const worker = startCommand(["work"], { ...environment, DATABASE_URL: url }, program);
    await expect.poll(() => worker.output.stdout).toContain('"working"');
    remove();
    expect((await post(`${server.address}/holder/requests`, signed)).status).toBe(202);
    const state = "select state from holder_request order by request_id desc limit 1";
    await expect.poll(async () => (await database.query(state)).rows).toEqual([{ state: "refused" }]);
    worker.process.kill("SIGTERM");
    expect((await worker.ended).code).toBe(0);
  });
});

describe("credence-client in an empty project", () => {
  const project = mkdtempSync(join(tmpdir(), "credence-consumer-"));
  const tarball = join(folder, `credence-client-${rootManifest.version}.tgz`);
  const installed = join(project, "node_modules/credence-client");
  beforeAll(() => installClient(tarball, project));
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  test("is one file of code with its types, and depends on nothing", () => {
    expect(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "credence-client",
    ]);
    const files = globSync("**/*", { cwd: installed }).filter((file) => !file.endsWith(".d.ts"));
    expect(files.sort()).toEqual([
      ...["LICENSE", "README.md", "dist", "dist/client.js", "dist/client.js.map", "package.json"],
    ]);
  });

  test(`has less than ${MAX_CLIENT_BYTES} bytes of compressed code`, () => {
    const code = readFileSync(join(installed, "dist/client.js"));
    expect(gzipSync(code).length).toBeLessThan(MAX_CLIENT_BYTES);
    expect(brotliCompressSync(code).length).toBeLessThan(MAX_CLIENT_BYTES);
  });

  test("passes publint", async () => {
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  test("has types that every way of resolution finds", async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    if (analysis.types === false) expect.fail("The package has no types.");
    // It is an ES module only. Node can require it, but TypeScript reports this in every CommonJS file.
    expect(analysis.problems.filter(({ kind }) => kind !== "CJSResolvesToESM")).toEqual([]);
    expect(analysis.problems).toHaveLength(1);
  });

  test.each(COMPILERS)("compiles with the strict settings of $name, and runs", async ({ path }) => {
    const { origin } = await startFaultServer();
    writeConsumer(project);
    run(process.execPath, [path, "-p", project], project);
    const { stdout } = await promisify(execFile)(process.execPath, [join(project, "consumer.js"), origin]);
    expect(JSON.parse(stdout)).toEqual(["Ada Okafor, 1024 followers", "nobody", "gone"]);
  });
});
