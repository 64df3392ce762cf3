import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  digestTables,
  type ProofDatabase,
  runCredence,
  WRITTEN_TABLES,
  withProofDatabase,
  withProofFolder,
} from "./harness.ts";

const psql = promisify(execFile);

/**
 * Measures the speed and memory of generating and importing, compared with a plain COPY of the same
 * rows into the same tables and indexes. Proves that a second import of the same people changes
 * nothing.
 */
export function proveImportSpeed(people: number) {
  return withProofFolder((folder) =>
    withProofDatabase((imported) =>
      withProofDatabase(async (copied) => {
        const snapshot = join(folder, "snapshot");
        const generated = await runCredence(["generate", "--people", String(people), "--out", snapshot]);
        const first = await runImport(snapshot, imported);
        assert.equal(first.result.added, people);
        const before = await digestTables(imported.database);
        const copySeconds = await copyTables(folder, imported, copied);
        assert.deepEqual({ ...(await digestTables(copied.database)), standing: "" }, { ...before, standing: "" });

        const written = await countWrites(imported);
        const again = await runImport(snapshot, imported);
        assert.equal(again.result.unchanged, people);
        assert.deepEqual(await digestTables(imported.database), before);
        assert.equal(await countWrites(imported), written, "rows were written again");
        const importSeconds = first.result.duration_ms / 1_000;
        return {
          people,
          credentials: await countRows(imported, "credential"),
          generated_per_second: Math.round(people / generated.seconds),
          generate_peak_mib: generated.peakMiB,
          imported_per_second: Math.round(people / importSeconds),
          import_seconds: importSeconds,
          import_peak_mib: Math.max(first.peakMiB, again.peakMiB),
          copy_seconds: copySeconds,
          ratio_to_copy: copySeconds / importSeconds,
          again_per_second: Math.round((people * 1_000) / again.result.duration_ms),
          again_times_faster: first.result.duration_ms / again.result.duration_ms,
          whole_command_times_faster: first.seconds / again.seconds,
        };
      }),
    ),
  );
}

async function runImport(snapshot: string, { url }: ProofDatabase) {
  const run = await runCredence(["import", snapshot, "--no-standing", "--json"], { DATABASE_URL: url });
  return { ...run, result: JSON.parse(run.stdout) as { added: number; unchanged: number; duration_ms: number } };
}

/** Copies all tables with psql. Returns the seconds of the copy into the second database. */
async function copyTables(folder: string, from: ProofDatabase, to: ProofDatabase): Promise<number> {
  const file = (table: string) => join(folder, `${table}.copy`);
  for (const table of WRITTEN_TABLES) await psql("psql", [from.url, "-qc", `\\copy ${table} to '${file(table)}'`]);
  await from.database.query("checkpoint");
  const started = performance.now();
  for (const table of WRITTEN_TABLES) await psql("psql", [to.url, "-qc", `\\copy ${table} from '${file(table)}'`]);
  return (performance.now() - started) / 1_000;
}

async function countRows({ database }: ProofDatabase, table: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>(`select count(*) as count from ${table}`);
  return rows[0]?.count ?? 0;
}

/** Returns how many rows have been inserted, updated or deleted so far. */
async function countWrites({ database }: ProofDatabase): Promise<number> {
  await database.query("select pg_stat_force_next_flush()");
  const { rows } = await database.query<{ writes: number }>(
    `select sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint as writes from pg_stat_user_tables where relname = any ($1)`,
    [WRITTEN_TABLES],
  );
  return rows[0]?.writes ?? 0;
}
