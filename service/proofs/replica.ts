import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type Database, openDatabase } from "#core/database/database.ts";
import { inventPopulation } from "#demo/invent/population.ts";
import { savePeople } from "#people/write/save-people.ts";
import { startPrimary, startReplica } from "./clusters.ts";
import {
  blockImport,
  type ProofServer,
  readMetric,
  refuseOverload,
  runCredence,
  startServer,
  waitFor,
  withProofFolder,
} from "./harness.ts";

/** Short, because the proof waits until the replica lags by half of it. */
const CACHE_MAX_AGE_SECONDS = 6;
/** The server measures the lag once a second. */
const TOLERANCE_SECONDS = 2;
/** The import is blocked until there were this many reads. */
const MIN_READS = 100;
/** The id of the person whose score changes during the import. It is not in the snapshot. */
const WATCHED_ID = 9_000_000_000;

/**
 * Reads V1 from a streaming replica during an import into the primary: no read fails, no read uses
 * the primary, and changes become visible. Then pauses the replica: it is not read until it has
 * caught up.
 *
 * The lag depends on the machine. On a busy machine, pass a large `cacheMaxAgeSeconds`; on an idle
 * one, also call `checkSeenInTime`.
 */
export function proveReplica(people: number, cacheMaxAgeSeconds = CACHE_MAX_AGE_SECONDS) {
  return withProofFolder(async (folder) => {
    const primary = await startPrimary(folder);
    const database = openDatabase({ url: primary.url, name: "proof", maxConnections: 2, statementTimeoutMs: 0 });
    try {
      const first = join(folder, "first");
      const more = join(folder, "more");
      await runCredence(["generate", "--people", "1000", "--out", first]);
      await runCredence(["generate", "--people", String(people), "--seed", "2", "--out", more]);
      await runCredence(["migrate"], { DATABASE_URL: primary.url });
      await runCredence(["import", first], { DATABASE_URL: primary.url });
      const replica = await startReplica(folder, primary);
      const standby = new pg.Client({ connectionString: replica.url });
      await standby.connect();
      const serve = (seconds: number) =>
        startServer(primary.url, { DATABASE_READ_URL: replica.url, CACHE_MAX_AGE: `${seconds}s` });
      try {
        const during = await withServer(await serve(cacheMaxAgeSeconds), (server) =>
          watchImport(server, database, primary.url, more, people),
        );
        const behind = await withServer(await serve(CACHE_MAX_AGE_SECONDS), (server) =>
          fallBehind(server, database, standby),
        );
        return { people, cache_max_age_seconds: cacheMaxAgeSeconds, ...during, ...behind };
      } finally {
        await standby.end();
        await replica.stop();
      }
    } finally {
      await database.end();
      await primary.stop();
    }
  });
}

/** Throws if a change became visible later than CACHE_MAX_AGE allows. */
export function checkSeenInTime<Proven extends Awaited<ReturnType<typeof proveReplica>>>(proven: Proven): Proven {
  const { max_seen_seconds, seen_from_primary_seconds, cache_max_age_seconds } = proven;
  const seen = Math.max(max_seen_seconds, seen_from_primary_seconds);
  assert.ok(seen <= cache_max_age_seconds + TOLERANCE_SECONDS, "a change became visible too late");
  return proven;
}

async function withServer<Result>(server: ProofServer, work: (server: ProofServer) => Promise<Result>) {
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

type Watched = { reads: number; changes: number; max_seen_seconds: number; import_lag_seconds: number };

/** Reads V1 during an import, and measures when changes of a person become visible. */
async function watchImport(
  server: ProofServer,
  database: Database,
  url: string,
  snapshot: string,
  people: number,
): Promise<Watched> {
  const watched = { reads: 0, changes: 0, max_seen_seconds: 0, import_lag_seconds: 0 };
  let importing = true;
  const block = await blockImport(database, people);
  const imported = runCredence(["import", snapshot], { DATABASE_URL: url }).finally(() => {
    importing = false;
  });
  const reading = readWhile(server, () => importing, watched);
  const releasing = waitFor(
    `${MIN_READS} reads during the import`,
    () => watched.reads,
    (reads) => reads >= MIN_READS || !importing,
  ).then(block.release);
  do {
    const seconds = await timeChange(server, database, watched.changes + 1);
    watched.changes += 1;
    watched.max_seen_seconds = Math.max(watched.max_seen_seconds, seconds);
    watched.import_lag_seconds = Math.max(
      watched.import_lag_seconds,
      await readMetric(server, "credence_replica_lag_seconds"),
    );
    assert.equal(await readMetric(server, "credence_replica_used"), 1);
  } while (importing);
  await Promise.all([reading, imported, releasing]);
  assert.equal(await countReaders(database), 0, "the primary was read");
  return watched;
}

async function readWhile({ address }: ProofServer, condition: () => boolean, watched: { reads: number }) {
  const shown = [...inventPopulation(1, 1_000)]
    .filter((person) => !person.operator?.hidden)
    .map((person) => person.passport.passport_id);
  for (let index = 0; condition(); index += 1) {
    const id = shown[index % shown.length];
    const path = index % 5 === 0 ? `/api/v1/passports?page=${1 + (index % 30)}` : `/api/v1/passports/${id}`;
    const { status } = await fetch(address + path);
    refuseOverload(status, path);
    // The second snapshot hides some people that are visible in the first.
    assert.ok(status === 200 || status === 404, `${path} returned ${status}`);
    watched.reads += 1;
    await delay(5);
  }
}

/** Changes the score of the watched person. Returns the seconds until V1 shows it. */
async function timeChange({ address }: ProofServer, database: Database, score: number): Promise<number> {
  const [invented] = inventPopulation(3, 1);
  assert.ok(invented);
  const passport = { ...invented.passport, passport_id: WATCHED_ID, score, main_wallet: null, verified_wallets: [] };
  await savePeople(database, [{ ...invented, passport }]);
  const changed = performance.now();
  for (;;) {
    const response = await fetch(`${address}/api/v1/passports/${WATCHED_ID}`);
    if (response.status === 200 && JSON.parse(await response.text()).passport.score === score) break;
    await delay(50);
  }
  return (performance.now() - changed) / 1_000;
}

/** The server reads the primary while the replica is paused. */
async function fallBehind(server: ProofServer, database: Database, standby: pg.Client) {
  const isUsed = async () => (await readMetric(server, "credence_replica_used")) === 1;
  await waitFor("the replica to be read", isUsed);
  await standby.query("select pg_wal_replay_pause()");
  await savePeople(database, [...inventPopulation(4, 20)]);
  await waitFor("the paused replica not to be read", isUsed, (used) => !used);
  const lag = await readMetric(server, "credence_replica_lag_seconds");
  const seen = await timeChange(server, database, 1_000_000);
  assert.ok((await countReaders(database)) > 0, "the primary was not read");
  await standby.query("select pg_wal_replay_resume()");
  await waitFor("the resumed replica to be read", isUsed);
  return { max_lag_seconds: lag, seen_from_primary_seconds: seen };
}

/** Counts the connections for look-ups at the primary. */
async function countReaders(database: Database): Promise<number> {
  const { rowCount } = await database.query(
    "select from pg_stat_activity where application_name = 'credence serve: look-ups'",
  );
  return rowCount ?? 0;
}
