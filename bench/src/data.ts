import { spawn } from "node:child_process";
import { once } from "node:events";
import { statfs } from "node:fs/promises";
import pg from "pg";
import { type Bench, column } from "./database.ts";
import { CREDENCE, credence, log, logProgress } from "./processes.ts";

// The generated people of a run. Later runs of the same size reuse the database.

const GIB = 1_024 ** 3;
/** Limits the disk space: only the first million people have credentials. */
const MAX_WITH_CREDENTIALS = 1_000_000;
const BYTES_PER_PERSON = 3_400;
const CREDENTIAL_BYTES_PER_PERSON = 7_800;
/** For WAL, sorting, and two epochs of the standing while a third is built. */
const EXTRA_BYTES = 4 * GIB;

const countWithCredentials = (people: number): number => Math.min(people, MAX_WITH_CREDENTIALS);

const neededBytes = (people: number): number =>
  people * BYTES_PER_PERSON + countWithCredentials(people) * CREDENTIAL_BYTES_PER_PERSON + EXTRA_BYTES;

const databaseName = (people: number): string => `credence_bench_${people}`;

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

async function withAdmin(server: string, work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({ connectionString: urlOf(server, "postgres") });
  await admin.connect();
  await work(admin).finally(() => admin.end());
}

export const dropData = (server: string, people: number): Promise<void> =>
  withAdmin(server, (admin) => admin.query(`drop database if exists ${databaseName(people)}`));

/** Opens the database with this number of people, and creates it if it does not exist. */
export async function prepareData(server: string, people: number): Promise<Bench> {
  const name = databaseName(people);
  const url = urlOf(server, name);
  await withAdmin(server, async (admin) => {
    const { rows } = await admin.query("select from pg_database where datname = $1", [name]);
    if (rows.length > 0) return;
    await checkDisk(admin, people);
    await admin.query(`create database ${name} template template0 encoding 'UTF8'`);
  });
  await credence(["migrate"], url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const bench = { url, people, withCredentials: countWithCredentials(people), client };
  const [documents] = await column<string>(bench, "select count(*) from passport_document");
  // Some people are hidden and have no document.
  if (Number(documents) < people * 0.99) await importPeople(bench);
  else log(`Using the ${people} people in ${name}.`);
  return bench;
}

async function checkDisk(admin: pg.Client, people: number): Promise<void> {
  const { rows } = await admin.query<{ folder: string }>("select current_setting('data_directory') as folder");
  const { bavail, bsize } = await statfs(rows[0]?.folder ?? "/");
  const [needed, free] = [neededBytes(people) / GIB, (bavail * bsize) / GIB];
  log(`${people} people need about ${needed.toFixed(1)} GiB; ${free.toFixed(1)} GiB are free.`);
  if (needed > free) throw new Error("Not enough disk space. Use a smaller --people, or free some space.");
}

async function importPeople({ url, people, withCredentials, client }: Bench): Promise<void> {
  log(`Importing ${people} generated people, ${withCredentials} of them with credentials …`);
  const generate = spawn(CREDENCE, [
    ...["generate", "--people", String(people), "--credentials-for", String(withCredentials)],
  ]);
  const importing = spawn(CREDENCE, ["import", "-", "--no-standing"], {
    // biome-ignore lint/style/noProcessEnv: the child process needs PATH.
    env: { ...process.env, DATABASE_URL: url, NO_COLOR: "1" },
    stdio: ["pipe", "ignore", "pipe"],
  });
  generate.stdout.pipe(importing.stdin);
  importing.stderr.on("data", (chunk) => logProgress(String(chunk)));
  const [code] = await once(importing, "close");
  if (code !== 0) throw new Error(`The import failed with exit code ${code}.`);
  log("Refreshing the standing …");
  await credence(["standing", "refresh"], url);
  // In production, autovacuum does this.
  log("Vacuuming …");
  await client.query("vacuum analyze");
}
