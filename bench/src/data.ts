import { spawn } from "node:child_process";
import { once } from "node:events";
import { statfs } from "node:fs/promises";
import pg from "pg";
import { type Bench, column } from "./database.ts";
import { CREDENCE, credence } from "./processes.ts";
import { say, sayOver } from "./say.ts";

// The people of a run: invented and imported once, and used again by the next.

/** Everyone up to here has credentials; beyond, only the first so many, as disks are finite. */
const MOST_WITH_CREDENTIALS = 1_000_000;
const BYTES_A_PERSON = 3_400;
const BYTES_WITH_CREDENTIALS = 7_800;
/** Log, sorting and a second list while a third is built. */
const BYTES_BESIDE = 4 * 1_024 ** 3;

const withCredentialsOf = (people: number): number => Math.min(people, MOST_WITH_CREDENTIALS);

const neededBytes = (people: number): number =>
  people * BYTES_A_PERSON + withCredentialsOf(people) * BYTES_WITH_CREDENTIALS + BYTES_BESIDE;

const GIB = 1_024 ** 3;

const nameOf = (people: number): string => `credence_bench_${people}`;

async function administer(server: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const url = new URL(server);
  url.pathname = "/postgres";
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  await work(admin).finally(() => admin.end());
}

export const dropData = (server: string, people: number): Promise<void> =>
  administer(server, async (admin) => {
    await admin.query(`drop database if exists ${nameOf(people)}`);
  });

/** Opens the database of so many people, making it first if it is not there. */
export async function prepareData(server: string, people: number): Promise<Bench> {
  const name = nameOf(people);
  const url = new URL(server);
  url.pathname = `/${name}`;
  await administer(server, async (admin) => {
    const { rows } = await admin.query("select from pg_database where datname = $1", [name]);
    if (rows.length > 0) return;
    await checkDisk(admin, people);
    await admin.query(`create database ${name} template template0 encoding 'UTF8'`);
  });
  await credence(["migrate"], url.href);
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const bench = { url: url.href, people, withCredentials: withCredentialsOf(people), client };
  const [held] = await column<string>(bench, "select count(*) from passport_document");
  // Some are hidden, and have no documents.
  if (Number(held) < people * 0.99) await fill(bench);
  else say(`Using the ${people} people of ${name}.`);
  return bench;
}

async function checkDisk(admin: pg.Client, people: number): Promise<void> {
  const { rows } = await admin.query<{ folder: string }>("select current_setting('data_directory') as folder");
  const { bavail, bsize } = await statfs(rows[0]?.folder ?? "/");
  const [needed, free] = [neededBytes(people) / GIB, (bavail * bsize) / GIB];
  say(`${people} people take about ${needed.toFixed(1)} GiB; ${free.toFixed(1)} GiB are free.`);
  if (needed > free) throw new Error("The disk is too small for so many people: give fewer, or more disk.");
}

async function fill({ url, people, withCredentials, client }: Bench): Promise<void> {
  say(`Inventing and importing ${people} people, ${withCredentials} of them with credentials …`);
  const invented = spawn(CREDENCE, [
    ...["generate", "--people", String(people), "--credentials-for", String(withCredentials)],
  ]);
  const imported = spawn(CREDENCE, ["import", "-", "--no-standing"], {
    // biome-ignore lint/style/noProcessEnv: a child needs PATH and the like.
    env: { ...process.env, DATABASE_URL: url, NO_COLOR: "1" },
    stdio: ["pipe", "ignore", "pipe"],
  });
  invented.stdout.pipe(imported.stdin);
  imported.stderr.on("data", (chunk) => sayOver(String(chunk)));
  const [code] = await once(imported, "close");
  if (code !== 0) throw new Error(`The import ended with ${code}.`);
  say("Building the list …");
  await credence(["standing", "refresh"], url);
  // As autovacuum would in a quiet hour.
  say("Vacuuming …");
  await client.query("vacuum analyze");
}
