import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { ALL_CORES, OTHER_CORES, run } from "./processes.ts";

/** The database of a run, with a direct connection. */
export type Bench = { url: string; people: number; withCredentials: number; client: pg.Client };

export async function column<Value>({ client }: Bench, sql: string): Promise<Value[]> {
  const { rows } = await client.query<Value[]>({ text: sql, rowMode: "array" });
  return rows.map((row) => row[0] as Value);
}

/** The transactions a second of a prepared statement with a random `:n`, from eight clients. */
export async function pgbench({ url }: Bench, sql: string, maxN: number, seconds: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "credence-bench-"));
  const file = join(folder, "query.sql");
  await writeFile(file, `\\set n random(1, ${maxN})\n${sql};\n`);
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

/** The process ids of the service's PostgreSQL backends. */
export const listBackends = (bench: Bench): Promise<number[]> =>
  column<number>(bench, "select pid from pg_stat_activity where application_name like 'credence serve%'");

/** Moves the backends off the measured core, as if PostgreSQL ran on another machine. */
export const pinBackends = (bench: Bench): Promise<void> => moveBackends(bench, OTHER_CORES);

export const unpinBackends = (bench: Bench): Promise<void> => moveBackends(bench, ALL_CORES);

async function moveBackends(bench: Bench, cores: string): Promise<void> {
  // taskset fails for a backend that has ended in the meantime.
  for (const pid of await listBackends(bench)) await run("taskset", ["-cp", cores, String(pid)]).catch(() => {});
}
