import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { ALL_CORES, OTHER_CORES, run } from "./processes.ts";

/** The database of a run, asked directly, as an operator with psql would. */
export type Bench = { url: string; people: number; withCredentials: number; client: pg.Client };

export async function column<Value>({ client }: Bench, sql: string): Promise<Value[]> {
  const { rows } = await client.query<Value[]>({ text: sql, rowMode: "array" });
  return rows.map((row) => row[0] as Value);
}

/** The engine run bare: one prepared statement for a random `:n`, eight clients, as many a second as it can. */
export async function pgbench({ url }: Bench, sql: string, most: number, seconds: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "credence-bench-"));
  const file = join(folder, "query.sql");
  await writeFile(file, `\\set n random(1, ${most})\n${sql};\n`);
  try {
    const { stdout } = await run("taskset", [
      ...["-c", ALL_CORES, "pgbench", "-n", "-M", "prepared", "-c", "8", "-j", "2", "-T", String(seconds), "-f", file],
      url,
    ]);
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Processes of the database server that answer the service. */
export const listBackends = (bench: Bench): Promise<number[]> =>
  column<number>(bench, "select pid from pg_stat_activity where application_name like 'credence serve%'");

/** Keeps them off the core on which the service is measured, as if they were another machine's. */
export const pinBackends = (bench: Bench): Promise<void> => moveBackends(bench, OTHER_CORES);

export const unpinBackends = (bench: Bench): Promise<void> => moveBackends(bench, ALL_CORES);

async function moveBackends(bench: Bench, cores: string): Promise<void> {
  // One that has gone in the meantime stays where it is.
  for (const pid of await listBackends(bench)) await run("taskset", ["-cp", cores, String(pid)]).catch(() => {});
}
