import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { inventPopulation } from "#invent/population.ts";
import { savePeople } from "#operations/write/save-people.ts";
import { type Database, openDatabase } from "#store/engine/database.ts";
import { makePrimary, makeReplica } from "./clusters.ts";
import { holdUpImport, type ProofServer, runCredence, startServer, waitUntil, withProofFolder } from "./ground.ts";

/** Short enough to wait until the replica is too far behind, which is half of it. */
const CACHE_MAX_AGE_SECONDS = 6;
/** The lag is looked at once a second, and asking takes a moment as well. */
const TOLERANCE_SECONDS = 2;
/** If need be, the import is held up for so many. */
const LEAST_READS = 100;
/** Whose score changes all the time, beyond those that are imported. */
const WATCHED = 9_000_000_000;

/**
 * V1 is read from a real streaming replica while an import goes on at the primary: no read fails, none goes to the primary, and a
 * change is seen. Then the replica falls behind, and is not read until it has caught up. How soon a change is seen, and whether the
 * replica keeps up with an import, depends on the machine: `checkSeenInTime` is for one that does nothing else, and a large
 * `cacheMaxAgeSeconds` allows for one that is busy.
 */
export function proveReplica(people: number, cacheMaxAgeSeconds = CACHE_MAX_AGE_SECONDS) {
  return withProofFolder(async (folder) => {
    const primary = await makePrimary(folder);
    const database = openDatabase({ url: primary.url, name: "proof", maxConnections: 2, statementTimeoutMs: 0 });
    try {
      const first = join(folder, "first");
      const more = join(folder, "more");
      await runCredence(["generate", "--people", "1000", "--out", first]);
      await runCredence(["generate", "--people", String(people), "--seed", "2", "--out", more]);
      await runCredence(["migrate"], { DATABASE_URL: primary.url });
      await runCredence(["import", first], { DATABASE_URL: primary.url });
      const replica = await makeReplica(folder, primary);
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

/** Fails if a change was seen later than the age limit of the cache allows. */
export function checkSeenInTime<Proven extends Awaited<ReturnType<typeof proveReplica>>>(proven: Proven): Proven {
  const { longest_until_seen_seconds, seen_from_primary_seconds, cache_max_age_seconds } = proven;
  const seen = Math.max(longest_until_seen_seconds, seen_from_primary_seconds);
  assert.ok(seen <= cache_max_age_seconds + TOLERANCE_SECONDS, "a change was seen too late");
  return proven;
}

async function withServer<Result>(server: ProofServer, work: (server: ProofServer) => Promise<Result>) {
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

type Watched = { reads: number; changes: number; longest_until_seen_seconds: number; import_lag_seconds: number };

/** Reads all the time, and changes somebody again and again, to see how long it takes until V1 shows it. */
async function watchImport(
  server: ProofServer,
  database: Database,
  url: string,
  snapshot: string,
  people: number,
): Promise<Watched> {
  const watched = { reads: 0, changes: 0, longest_until_seen_seconds: 0, import_lag_seconds: 0 };
  let going = true;
  const hold = await holdUpImport(database, people);
  const importing = runCredence(["import", snapshot], { DATABASE_URL: url }).finally(() => {
    going = false;
  });
  const reading = readOn(server, () => going, watched);
  const releasing = waitUntil(() => watched.reads >= LEAST_READS || !going).then(hold.release);
  do {
    const seconds = await timeChange(server, database, watched.changes + 1);
    watched.changes += 1;
    watched.longest_until_seen_seconds = Math.max(watched.longest_until_seen_seconds, seconds);
    watched.import_lag_seconds = Math.max(
      watched.import_lag_seconds,
      await readMetric(server, "credence_replica_lag_seconds"),
    );
    assert.equal(await readMetric(server, "credence_replica_used"), 1);
  } while (going);
  await Promise.all([reading, importing, releasing]);
  assert.equal(await countReaders(database), 0, "the primary was read");
  return watched;
}

async function readOn({ address }: ProofServer, isGoing: () => boolean, watched: { reads: number }): Promise<void> {
  const shown = [...inventPopulation(1, 1_000)]
    .filter((one) => !one.operator?.hidden)
    .map((one) => one.passport.passport_id);
  for (let at = 0; isGoing(); at += 1) {
    const id = shown[at % shown.length];
    const path = at % 5 === 0 ? `/api/v1/passports?page=${1 + (at % 30)}` : `/api/v1/passports/${id}`;
    const { status } = await fetch(address + path);
    // The second snapshot hides some whom the first one shows.
    assert.ok(status === 200 || status === 404, `${path} was answered with ${status}`);
    watched.reads += 1;
    await delay(5);
  }
}

/** Changes the watched person's score, and says after how many seconds V1 shows it. */
async function timeChange({ address }: ProofServer, database: Database, score: number): Promise<number> {
  const [invented] = inventPopulation(3, 1);
  assert.ok(invented);
  const passport = { ...invented.passport, passport_id: WATCHED, score, main_wallet: null, verified_wallets: [] };
  await savePeople(database, [{ ...invented, passport }]);
  const changed = performance.now();
  for (;;) {
    const answer = await fetch(`${address}/api/v1/passports/${WATCHED}`);
    if (answer.status === 200 && JSON.parse(await answer.text()).passport.score === score) break;
    await delay(50);
  }
  return (performance.now() - changed) / 1_000;
}

/** Holds the replica back: the primary is read instead, and shows what changes; then lets it go on. */
async function fallBehind(server: ProofServer, database: Database, standby: pg.Client) {
  const isUsed = async () => (await readMetric(server, "credence_replica_used")) === 1;
  await waitUntil(isUsed);
  await standby.query("select pg_wal_replay_pause()");
  await savePeople(database, [...inventPopulation(4, 20)]);
  await waitUntil(async () => !(await isUsed()));
  const most = await readMetric(server, "credence_replica_lag_seconds");
  const seen = await timeChange(server, database, 1_000_000);
  assert.ok((await countReaders(database)) > 0, "the primary was not read");
  await standby.query("select pg_wal_replay_resume()");
  await waitUntil(isUsed);
  return { most_lag_seconds: most, seen_from_primary_seconds: seen };
}

/** How many connections look people up at the primary. */
async function countReaders(database: Database): Promise<number> {
  const { rowCount } = await database.query(
    "select from pg_stat_activity where application_name = 'credence serve: look-ups'",
  );
  return rowCount ?? 0;
}

async function readMetric({ privateAddress }: ProofServer, name: string): Promise<number> {
  const metrics = await (await fetch(`${privateAddress}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics)?.[1]);
}
