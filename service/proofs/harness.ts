import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { type Database, openDatabase } from "#core/database/database.ts";
import { migrate } from "#core/database/migrations.ts";
import { administer, createDatabase, dropDatabase, uniqueName, urlOf } from "#testing/server.ts";
import { UNLIMITED } from "#testing/unlimited.ts";

// Shared by proofs: temporary databases and folders, and the `credence` command.

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

export type ProofDatabase = { url: string; database: Database };

export async function withProofDatabase<Result>(
  work: (proof: ProofDatabase) => Promise<Result>,
  { isMigrated = true } = {},
): Promise<Result> {
  const name = uniqueName();
  await administer((admin) => createDatabase(admin, name, "template template0 encoding 'UTF8'"));
  const url = urlOf(name);
  const database = openDatabase({ url, name: "proof", maxConnections: 8, statementTimeoutMs: 0 });
  try {
    if (isMigrated) await migrate(url);
    return await work({ url, database });
  } finally {
    await database.end();
    await administer((admin) => dropDatabase(admin, name));
  }
}

export async function withProofFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "credence-proof-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export type Run = { code: number | null; stdout: string; stderr: string; seconds: number; peakMiB: number };
export type Started = { process: ChildProcess; ended: Promise<Run> };

/** The running processes, whose output helps to find out why a proof waits. */
const running = new Map<Run, string>();
const SHOWN_LINES = 20;

function describeRunning(): string {
  const texts = [...running].map(([{ stdout, stderr }, command]) => {
    const lines = (stdout + stderr).trimEnd().split("\n").slice(-SHOWN_LINES);
    return `\nThe end of the output of ${command}:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  });
  return texts.join("");
}

/** Starts `credence`, or another version of it, pinned to a core if `core` is not null, and measures its peak memory. */
export function startCredence(
  args: readonly string[],
  environment: Record<string, string> = {},
  core: string | null = null,
  main = MAIN,
): Started {
  // biome-ignore lint/style/noProcessEnv: a child needs PATH and the like.
  const env = { ...process.env, NO_COLOR: "1", ...environment };
  const started = performance.now();
  // taskset replaces itself by the program it runs, so the child has the process id of credence.
  const command = [...(core === null ? [] : ["taskset", "-c", core]), process.execPath, main, ...args];
  const child = spawn(command[0] as string, command.slice(1), { env, stdio: ["ignore", "pipe", "pipe"] });
  const run: Run = { code: null, stdout: "", stderr: "", seconds: 0, peakMiB: 0 };
  running.set(run, `credence ${args.join(" ")}`);
  child.stdout.on("data", (chunk) => (run.stdout += chunk));
  child.stderr.on("data", (chunk) => (run.stderr += chunk));
  const watch = setInterval(() => {
    run.peakMiB = Math.max(run.peakMiB, findPeakMiB(child.pid));
  }, 100);
  const { promise: ended, resolve } = Promise.withResolvers<Run>();
  child.on("close", (code) => {
    clearInterval(watch);
    running.delete(run);
    resolve({ ...run, code, seconds: (performance.now() - started) / 1_000 });
  });
  return { process: child, ended };
}

/** The peak resident memory of a process (VmHWM). */
function findPeakMiB(pid: number | undefined): number {
  try {
    const [, kib = "0"] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kib) / 1_024);
  } catch {
    return 0;
  }
}

/** Runs `credence` and throws if it fails. */
export async function runCredence(
  args: readonly string[],
  environment: Record<string, string> = {},
  main = MAIN,
): Promise<Run> {
  const run = await startCredence(args, environment, null, main).ended;
  if (run.code !== 0) throw new Error(`credence ${args.join(" ")} ended with ${run.code}:\n${run.stdout}${run.stderr}`);
  return run;
}

const TABLES = {
  people: ["person", "person_wallet", "decision", "decision_end", "decision_wallet"],
  documents: ["passport_document", "credential_document", "wallet_owner"],
};
export const WRITTEN_TABLES = [...TABLES.people.slice(0, 2), ...TABLES.documents];

/** Returns row counts and sums of row hashes. The order of rows does not matter. */
export async function digestTables(database: Database): Promise<Record<string, string>> {
  const digest = async (table: string): Promise<string> => {
    const { rows } = await database.query<{ digest: string }>(
      `select count(*) || ' ' || coalesce(sum(hashtextextended(source::text, 0)), 0) as digest from ${table} as source`,
    );
    return rows[0]?.digest ?? "";
  };
  const digests: Record<string, string> = {};
  for (const table of [...TABLES.people, ...TABLES.documents]) digests[table] = await digest(table);
  const { rows } = await database.query<{ epoch: number; total: number }>(
    "select epoch, total from standing_epoch order by epoch desc limit 1",
  );
  digests.standing = `${rows[0]?.total} ${await digest(`standing_${rows[0]?.epoch}`)}`;
  return digests;
}

/** Refuses a name on the command line that stands for nothing: a proof of nothing would succeed. */
export function requireName(name: string, known: readonly string[]): void {
  if (!known.includes(name)) throw new Error(`There is no "${name}". Expected one of: ${known.join(", ")}.`);
}

const MAX_WAIT_MS = 300_000;

/**
 * Thrown when a proof has waited too long, perhaps because the machine is slow. A broken promise is any
 * other error. testing/run-system.ts repeats a proof whose time ran out, alone.
 */
export class TimeRanOut extends Error {
  override name = "TimeRanOut";

  constructor(what: string) {
    super(`Time ran out, no broken promise was seen: ${what}${describeRunning()}`);
  }
}

/** Polls a state until it is as expected. */
export async function waitFor<State>(
  what: string,
  read: () => State | Promise<State>,
  isDone: (state: State) => boolean = Boolean,
): Promise<void> {
  const until = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const state = await read();
    if (isDone(state)) return;
    if (performance.now() > until)
      throw new TimeRanOut(`waited ${MAX_WAIT_MS / 1_000} s for ${what}. Last state: ${inspect(state)}.`);
    await setTimeout(10);
  }
}

/** A server responds with 503 when a statement takes two seconds, as on a busy machine. */
export function refuseOverload(status: number, path: string): void {
  if (status === 503) throw new TimeRanOut(`${path} returned 503: a statement took two seconds, or a queue was full.`);
}

/** A held lock. `isBlocking` returns whether another session waits for it. */
export type Block = { isBlocking: () => Promise<boolean>; release: () => Promise<void> };

/** Blocks the import of a person who is not stored yet, by an uncommitted row with the same id. */
export async function blockImport(database: Database, passportId: number): Promise<Block> {
  return blockWith(
    database,
    `insert into person (passport_id, merged, credentials, line) values (${passportId}, false, 0, '{}')`,
  );
}

/** Blocks workers from writing the scores of a person. The person can still be queued. */
export async function blockScores(database: Database, passportId: number): Promise<Block> {
  return blockWith(database, `select from person where passport_id = ${passportId} for no key update`);
}

/** Blocks writes of a person's passport document. */
export async function blockDocument(database: Database, passportId: number): Promise<Block> {
  return blockWith(
    database,
    `select from passport_document where passport_id >= ${passportId} order by passport_id limit 1 for update`,
  );
}

/** Holds the locks of a statement until `release`. */
async function blockWith(database: Database, statement: string): Promise<Block> {
  const connection = await database.connect();
  await connection.query("begin");
  await connection.query(statement);
  const { rows } = await connection.query<{ pid: number }>("select pg_backend_pid() as pid");
  return {
    isBlocking: async () => {
      const waiting = await database.query(
        `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and $1 = any (pg_blocking_pids(pid))`,
        [rows[0]?.pid],
      );
      return waiting.rowCount !== 0;
    },
    release: async () => {
      await connection.query("rollback");
      connection.release();
    },
  };
}

export async function readMetric({ privateAddress }: ProofServer, name: string): Promise<number> {
  const metrics = await (await fetch(`${privateAddress}/metrics`)).text();
  const [line = ""] = metrics.split("\n").filter((text) => text.startsWith(`${name} `));
  return Number(line.slice(name.length) || NaN);
}

export type ProofServer = { address: string; privateAddress: string; process: ChildProcess; stop: () => Promise<void> };

/** Starts `credence serve` on free ports, pinned to a core if `core` is not null. */
export async function startServer(
  url: string,
  environment: Record<string, string> = {},
  core: string | null = null,
  args: readonly string[] = [],
  main = MAIN,
): Promise<ProofServer> {
  const ports = { PORT: "0", PRIVATE_PORT: "0", DRAIN_DELAY: "0s", ...UNLIMITED };
  const all = { DATABASE_URL: url, ...ports, LOG_LEVEL: "info", ...environment };
  const { process: child, ended } = startCredence(["serve", ...args], all, core, main);
  const { promise, resolve, reject } = Promise.withResolvers<{ address: string; privateAddress: string }>();
  let output = "";
  let found = false;
  child.stdout?.on("data", (chunk) => {
    output += chunk;
    if (found) return;
    const line = output.split("\n").find((text) => text.includes('"serving"') && text.endsWith("}"));
    if (line === undefined) return;
    found = true;
    resolve(JSON.parse(line));
  });
  child.stderr?.on("data", (chunk) => {
    output += chunk;
  });
  child.on("close", () => reject(new Error(`credence serve ended: ${output}`)));
  const { address, privateAddress } = await promise;
  return {
    address,
    privateAddress,
    process: child,
    stop: async () => {
      child.kill("SIGTERM");
      const late = setTimeout(MAX_WAIT_MS, null, { ref: false });
      if ((await Promise.race([ended, late])) === null) throw new Error(`credence serve does not stop: ${output}`);
    },
  };
}
