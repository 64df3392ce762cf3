import { execFileSync, spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import rootManifest from "../package.json" with { type: "json" };
import { runCommand } from "../service/testing/command.ts";
import { testDatabase } from "../service/testing/database.ts";
import { PACKAGES } from "./packages.ts";

const root = join(import.meta.dirname, "..");
/** The size of a production install on disk, in MB. */
const MAX_INSTALL_MB = 42;

const folder = mkdtempSync(join(tmpdir(), "credence-packages-"));
const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const bin = (name: string): string => join(folder, "node_modules/.bin", name);

// Builds the packages and installs them into an empty folder, as an operator would.
beforeAll(() => {
  run(process.execPath, ["release/build.ts"], root);
  const tarballs = PACKAGES.map(({ name }) => {
    const [packed] = JSON.parse(
      run("npm", ["pack", "--json", "--pack-destination", folder], join(root, "build/packages", name)),
    );
    return join(folder, packed.filename);
  });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", ...tarballs], folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the installed packages", () => {
  const files = (name: string): string[] => globSync("**/*", { cwd: join(folder, "node_modules", name) });

  test("contain compiled files only: no TypeScript, tests, proofs or bench", () => {
    for (const { name } of PACKAGES) {
      expect(files(name).length).toBeGreaterThan(20);
      expect(files(name).filter((file) => /\.ts$|\.test\.|testing|proofs|bench/.test(file))).toEqual([]);
    }
  });

  test("state version, license and engines", () => {
    for (const { name } of PACKAGES) {
      const manifest = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"));
      expect(manifest).toMatchObject({
        version: rootManifest.version,
        license: "Apache-2.0",
        engines: rootManifest.engines,
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
