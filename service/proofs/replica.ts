import assert from "node:assert/strict";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type Database, openDatabase } from "#core/database/database.ts";
import { inventPopulation } from "#demo/invent/population.ts";
import { savePeople } from "#people/write/save-people.ts";
import { hide } from "#testing/decide.ts";
import { startPrimary, startReplica } from "./clusters.ts";
import {
  blockImport,
  type ProofServer,
  readMetric,
  refuseOverload,
  runCredence,
  startServer,
  TimeRanOut,
  waitFor,
  withProofFolder,
} from "./harness.ts";

/** Short, because the proof waits until the replica lags by half of it. */
const CACHE_MAX_AGE_SECONDS = 6;
/** The server measures the lag once a second. */
const TOLERANCE_SECONDS = 2;
/** The import is blocked until there were this many reads. */
const MIN_READS = 100;
/** Of people who are read by this many clients, some are hidden. After this time, none of them may be shown. */
const [READ_PEOPLE, READERS] = [300, 12];
const BOUND_MS = (CACHE_MAX_AGE_SECONDS + TOLERANCE_SECONDS) * 1_000;
/** The id of the person whose score changes during the import. It is not in the snapshot. */
const WATCHED_ID = 9_000_000_000;

/**
 * Reads V1 from a streaming replica during an import into the primary: no read fails, no read uses
 * the primary, and changes become visible. Then pauses the replica: it is not read until it has
 * caught up. Then puts two replicas behind one address, pauses one, and hides people: after
 * CACHE_MAX_AGE no connection shows them, no read fails, and the other replica is still used.
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
      const replica = await startReplica(folder, primary, "replica-1");
      const other = await startReplica(folder, primary, "replica-2");
      const balancer = await balance([replica.port, other.port]);
      const both = new URL(replica.url);
      both.port = String((balancer.address() as { port: number }).port);
      const standby = new pg.Client({ connectionString: replica.url });
      await standby.connect();
      const serve = (seconds: number, url = replica.url) =>
        startServer(primary.url, { DATABASE_READ_URL: url, CACHE_MAX_AGE: `${seconds}s` });
      try {
        const during = await withServer(await serve(cacheMaxAgeSeconds), (server) =>
          watchImport(server, database, primary.url, more, people),
        );
        const behind = await withServer(await serve(CACHE_MAX_AGE_SECONDS), (server) =>
          fallBehind(server, database, standby),
        );
        const balanced = await withServer(await serve(CACHE_MAX_AGE_SECONDS, both.href), (server) =>
          hideWhilePaused(server, database, standby),
        );
        return { people, cache_max_age_seconds: cacheMaxAgeSeconds, ...during, ...behind, balanced };
      } finally {
        await standby.end();
        balancer.close();
        await Promise.all([replica.stop(), other.stop()]);
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
  const ended = Promise.all([reading, imported, releasing]);
  // Awaited below, if nothing fails before.
  ended.catch(() => {});
  do {
    const seconds = await timeChange(server, database, watched.changes + 1);
    watched.changes += 1;
    watched.max_seen_seconds = Math.max(watched.max_seen_seconds, seconds);
    watched.import_lag_seconds = Math.max(
      watched.import_lag_seconds,
      await readMetric(server, "credence_replica_lag_seconds"),
    );
    // A slow machine may replay too slowly for a while.
    if ((await readMetric(server, "credence_replica_used")) !== 1) throw new TimeRanOut("the replica lagged behind");
  } while (importing);
  await ended;
  assert.equal(await countReaders(database), 0, "the primary was read");
  return watched;
}

async function readWhile({ address }: ProofServer, condition: () => boolean, watched: { reads: number }) {
  const PEOPLE_READ = 1_000;
  for (let index = 0; condition(); index += 1) {
    const id = 1 + (index % PEOPLE_READ);
    const path = index % 5 === 0 ? `/api/v1/passports?page=${1 + (index % 30)}` : `/api/v1/passports/${id}`;
    const { status } = await fetch(address + path);
    refuseOverload(status, path);
    assert.equal(status, 200, path);
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

/** Two replicas behind one address: the replay of one is paused, then people are hidden. */
async function hideWhilePaused(server: ProofServer, database: Database, standby: pg.Client) {
  const { rows } = await database.query<{ passport_id: number }>(
    "select passport_id from person where not merged order by 1 limit $1",
    [READ_PEOPLE],
  );
  const ids = rows.map(({ passport_id }) => passport_id);
  const hidden = ids.slice(0, 5);
  const counts = { reads: 0, shown_within_bound: 0, shown_after_bound: 0, failed: 0 };
  let hiddenAt = Number.POSITIVE_INFINITY;
  let done = false;
  const read = async (start: number) => {
    for (let index = start; !done; index += 1) {
      const id = ids[index % ids.length] as number;
      const path =
        index % 7 === 0 ? `/api/v1/passports?per_page=100&page=${1 + (index % 3)}` : `/api/v1/passports/${id}`;
      const sentAt = performance.now();
      const response = await fetch(server.address + path);
      const body = await response.text();
      counts.reads += 1;
      if (response.status !== 200 && response.status !== 404) counts.failed += 1;
      const shows = response.status === 200 && hidden.some((hiddenId) => body.includes(`"passport_id":${hiddenId},`));
      if (shows && sentAt - hiddenAt > BOUND_MS) counts.shown_after_bound += 1;
      else if (shows && sentAt >= hiddenAt) counts.shown_within_bound += 1;
      await delay(10);
    }
  };
  const reading = Array.from({ length: READERS }, (_, start) => read(start * 31));
  // All connections to both replicas must be open before one replica is paused.
  while (counts.reads < 50 * READERS) await delay(20);
  await standby.query("select pg_wal_replay_pause()");
  for (const passportId of hidden) await hide(database, [passportId]);
  hiddenAt = performance.now();
  await delay(BOUND_MS);
  const before = counts.reads;
  while (counts.reads < before + 100 * READERS) await delay(20);
  const used = await readMetric(server, "credence_replica_used");
  const discarded = await readMetric(server, "credence_replica_discarded_total");
  done = true;
  await Promise.all(reading);
  await standby.query("select pg_wal_replay_resume()");
  assert.equal(counts.shown_after_bound, 0, "a hidden person was shown after the bound");
  assert.equal(counts.failed, 0, "a read failed");
  assert.equal(used, 1, "the healthy replica was not read");
  assert.ok(discarded > 0, "no connection to the paused replica was discarded");
  return { ...counts, discarded_connections: discarded };
}

/** Starts a TCP load balancer. New connections go to the ports in turn. */
async function balance(ports: readonly number[]): Promise<Server> {
  let next = 0;
  const server = createServer((client) => {
    const port = ports[next++ % ports.length] as number;
    const upstream = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return server;
}
