import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureCluster } from "../service/src/demo/own-postgresql/cluster.ts";
import { findProgram, type Program, programIn } from "../service/src/demo/own-postgresql/program.ts";
import { startServer } from "../service/src/demo/own-postgresql/server.ts";

// `npm run test:matrix -- 15 18`: tests of the database, the demo and the conformance kit on these
// major versions of PostgreSQL, by default all. CI runs everything on one version, and this on 18.

const VERSIONS = ["15", "16", "17", "18"];

/**
 * What depends on the version: statements, rights, plans, restores, and the driver. Not the test of the
 * schema, because pg_dump must not be older than the server.
 */
const SUBSET = [
  "core/database",
  "rights",
  "list",
  "usage",
  "people/write",
  "restore",
  "v1/get-passport",
  "holders/manage",
];

const root = join(import.meta.dirname, "..");
const packages = join(import.meta.dirname, "postgresql");

async function testOn(version: string): Promise<void> {
  const program = await requireProgram(version);
  // In memory, because no test needs that its data survive.
  const parent = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "credence-matrix-"));
  // As root, the server runs as another user.
  chmodSync(parent, 0o711);
  const cluster = await ensureCluster(program, join(parent, "cluster"));
  writeFileSync(join(cluster.data, "pg_hba.conf"), "host all all 127.0.0.1/32 trust\n");
  const server = await startServer(cluster);
  try {
    process.stdout.write(`\nPostgreSQL ${program.version}\n`);
    run("npx", ["vitest", "run", "--project", "fast", ...SUBSET.map((path) => `service/src/${path}`)], {
      TEST_DATABASE_URL: `${server.url}/postgres`,
    });
    await checkDemo(`${server.url}/credence_demo`);
  } finally {
    await server.stop();
    rmSync(parent, { recursive: true });
  }
}

/** The version of the demo is a dependency of this repository, the others are installed here. */
async function requireProgram(version: string): Promise<Program> {
  const demo = await findProgram();
  if (demo?.majorVersion === version) return demo;
  const folder = join(packages, "node_modules", `postgresql-${version}`);
  if (!existsSync(folder)) execFileSync("npm", ["ci", "--prefix", packages], { stdio: "inherit" });
  return programIn(folder);
}

/** The demo conforms. */
async function checkDemo(url: string): Promise<void> {
  const demo = spawn(process.execPath, ["service/bin/credence.js", "demo", "--port", "0"], {
    cwd: root,
    env: environment({ DATABASE_URL: url }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    let output = "";
    while (!output.includes("Stop with")) {
      const [chunk] = (await Promise.race([once(demo.stdout, "data"), once(demo, "exit")])) as [unknown];
      if (!Buffer.isBuffer(chunk)) throw new Error("The demo ended.");
      output += chunk.toString();
    }
    const [, address = ""] = /Explorer +(\S+)\/$/m.exec(output) ?? [];
    run(process.execPath, ["conformance/bin/credence-conformance.js", address], {});
  } finally {
    const exited = demo.exitCode === null ? once(demo, "exit") : null;
    demo.kill("SIGINT");
    await exited;
  }
}

function run(command: string, args: string[], variables: Record<string, string>): void {
  execFileSync(command, args, { cwd: root, stdio: "inherit", env: environment(variables) });
}

// biome-ignore lint/style/noProcessEnv: a child needs PATH and the like.
const environment = (variables: Record<string, string>) => ({ ...process.env, ...variables });

const chosen = process.argv.slice(2);
for (const version of chosen.length > 0 ? chosen : VERSIONS) await testOn(version);
