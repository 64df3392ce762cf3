import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { queryValue } from "#core/database/database.ts";
import {
  blockDocument,
  digestTables,
  type ProofDatabase,
  refuseOverload,
  runCredence,
  startServer,
  WRITTEN_TABLES,
  waitFor,
  withProofDatabase,
  withProofFolder,
} from "./harness.ts";

const psql = promisify(execFile);
const REQUESTS_PER_SECOND = 100;
/** The minimum before and during the import. */
const MIN_REQUESTS = 300;
/** Only people with these ids are looked up. */
const MAX_READ = 1_000;

/**
 * Measures the speed and memory of generating and importing, compared with a plain COPY of the same
 * rows into the same tables and indexes. A second import of the same people changes nothing. While
 * other facts about all of them are imported, V1 answers all requests; measures the latency.
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
        const reads = await readDuringImport(folder, imported, people);
        return {
          people,
          credentials: await countCredentials(imported),
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
          ...reads,
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

const countCredentials = ({ database }: ProofDatabase): Promise<number> =>
  queryValue(database, "select coalesce(sum(credentials), 0)::int from person");

/** Returns how many rows have been inserted, updated or deleted so far. */
async function countWrites({ database }: ProofDatabase): Promise<number> {
  await database.query("select pg_stat_force_next_flush()");
  const { rows } = await database.query<{ writes: number }>(
    `select sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint as writes from pg_stat_user_tables where relname = any ($1)`,
    [WRITTEN_TABLES],
  );
  return rows[0]?.writes ?? 0;
}

async function readDuringImport(folder: string, { url, database }: ProofDatabase, people: number) {
  const others = join(folder, "others");
  await runCredence(["generate", "--people", String(people), "--seed", "2", "--out", others]);
  await runCredence(["standing", "refresh"], { DATABASE_URL: url });
  const server = await startServer(url);
  try {
    const shown = Array.from({ length: Math.min(people, MAX_READ) }, (_, index) => index + 1);
    const quiet = await measure(server.address, shown, (answered) => answered >= MIN_REQUESTS);
    // The import is blocked until there were enough requests.
    const block = await blockDocument(database, people);
    let ended = false;
    const importing = runCredence(["import", others], { DATABASE_URL: url }).finally(() => {
      ended = true;
    });
    let requests = 0;
    const releasing = waitFor(
      `${MIN_REQUESTS} requests during the import`,
      () => requests,
      (count) => count >= MIN_REQUESTS || ended,
    ).then(block.release);
    const while_importing = await measure(server.address, shown, (answered) => {
      requests = answered;
      return ended;
    });
    await Promise.all([releasing, importing]);
    return { quiet, while_importing };
  } finally {
    await server.stop();
  }
}

/** Sends requests at a constant rate until `isOver` returns true for the number of responses. */
async function measure(address: string, ids: readonly number[], isOver: (answered: number) => boolean) {
  const times: number[] = [];
  const requests: Promise<unknown>[] = [];
  for (let index = 0; !isOver(times.length); index += 1) {
    requests.push(timeRequest(address + pathOf(index, ids)).then((ms) => times.push(ms)));
    await setTimeout(1_000 / REQUESTS_PER_SECOND);
  }
  await Promise.all(requests);
  times.sort((a, b) => a - b);
  const percentile = (part: number) => Math.round((times[Math.floor(times.length * part)] ?? 0) * 10) / 10;
  return {
    requests: times.length,
    p50_ms: percentile(0.5),
    p99_ms: percentile(0.99),
    max_ms: Math.round(times.at(-1) ?? 0),
  };
}

function pathOf(at: number, ids: readonly number[]): string {
  const id = ids[(at * 7_919) % ids.length];
  if (at % 10 === 9) return `/api/v1/passports?page=${1 + (at % 30)}`;
  return at % 2 === 0 ? `/api/v1/passports/${id}` : `/api/v1/passport_credentials?passport_id=${id}`;
}

async function timeRequest(url: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(url);
  await response.text();
  refuseOverload(response.status, url);
  assert.equal(response.status, 200, url);
  return performance.now() - started;
}
