import assert from "node:assert/strict";
import { connect, createServer, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { openDatabase } from "#core/database/database.ts";
import { inventPopulation } from "#demo/invent/population.ts";
import { savePeople } from "#people/write/save-people.ts";
import { changePerson } from "#privacy/change-person.ts";
import { type Cluster, startPrimary, startReplica } from "./clusters.ts";
import { type ProofServer, readMetric, runCredence, startServer, withProofFolder } from "./harness.ts";

const CACHE_MAX_AGE_SECONDS = 4;
/** The server reads the WAL position of the primary once a second. */
const TOLERANCE_SECONDS = 2;
/** After this time no hidden person may be shown. */
const BOUND_MS = (CACHE_MAX_AGE_SECONDS + TOLERANCE_SECONDS) * 1_000;
const READERS = 12;

/**
 * Two replicas behind one address. The replay of one replica is paused, then people are hidden.
 * After CACHE_MAX_AGE no connection shows them, no read fails, and the other replica is still used.
 */
export function proveReplicas(people: number) {
  return withProofFolder(async (folder) => {
    const primary = await startPrimary(folder);
    const database = openDatabase({ url: primary.url, name: "proof", maxConnections: 2, statementTimeoutMs: 0 });
    const stops: (() => Promise<unknown>)[] = [() => database.end(), primary.stop];
    try {
      await runCredence(["migrate"], { DATABASE_URL: primary.url });
      const shown = [...inventPopulation(1, people)].filter((person) => !person.operator);
      await savePeople(database, shown);
      await runCredence(["standing", "refresh"], { DATABASE_URL: primary.url });
      const replicas = [];
      for (const name of ["replica-1", "replica-2"]) {
        const replica = await startReplica(folder, primary, name);
        replicas.push(replica);
        stops.unshift(replica.stop);
      }
      const [paused] = replicas as [Cluster, Cluster];
      const balancer = await balance(replicas.map((replica) => replica.port));
      stops.unshift(async () => balancer.close());
      const url = new URL(primary.url);
      url.port = String((balancer.address() as { port: number }).port);
      const server = await startServer(primary.url, {
        DATABASE_READ_URL: url.href,
        CACHE_MAX_AGE: `${CACHE_MAX_AGE_SECONDS}s`,
      });
      stops.unshift(server.stop);
      return await hideWhilePaused(
        server,
        paused,
        shown.map((person) => person.passport.passport_id),
        (passportId) => changePerson(database, { action: "hide", passportId }),
      );
    } finally {
      for (const stop of stops) await stop().catch(() => {});
    }
  });
}

async function hideWhilePaused(
  server: ProofServer,
  paused: Cluster,
  ids: readonly number[],
  hide: (passportId: number) => Promise<unknown>,
) {
  const standby = new pg.Client({ connectionString: paused.url });
  await standby.connect();
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
      if (!shows || sentAt < hiddenAt) continue;
      if (sentAt - hiddenAt > BOUND_MS) counts.shown_after_bound += 1;
      else counts.shown_within_bound += 1;
    }
  };
  const reading = Array.from({ length: READERS }, (_, start) => read(start * 31));
  // All connections to both replicas must be open before one replica is paused.
  while (counts.reads < 50 * READERS) await delay(20);
  await standby.query("select pg_wal_replay_pause()");
  for (const id of hidden) await hide(id);
  hiddenAt = performance.now();
  await delay(BOUND_MS);
  const before = counts.reads;
  while (counts.reads < before + 200 * READERS) await delay(20);
  const used = await readMetric(server, "credence_replica_used");
  const discarded = await readMetric(server, "credence_replica_discarded_total");
  done = true;
  await Promise.all(reading);
  await standby.end();

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
