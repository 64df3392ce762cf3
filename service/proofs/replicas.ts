import assert from "node:assert/strict";
import { connect, createServer, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { inventPopulation } from "#invent/population.ts";
import { changePerson } from "#operations/holders/change-person.ts";
import { savePeople } from "#operations/write/save-people.ts";
import { openDatabase } from "#store/engine/database.ts";
import { type Cluster, makePrimary, makeReplica } from "./clusters.ts";
import { type ProofServer, runCredence, startServer, withProofFolder } from "./ground.ts";

const CACHE_MAX_AGE_SECONDS = 4;
/** The primary is asked once a second how far it has written. */
const TOLERANCE_SECONDS = 2;
const READERS = 12;

/**
 * Two real replicas behind one address. Replay is frozen on one of them, then people are hidden: after the freshness bound nobody of
 * them is shown on any connection, and no read fails, while the other replica goes on being read.
 */
export function proveReplicas(people: number) {
  return withProofFolder(async (folder) => {
    const primary = await makePrimary(folder);
    const database = openDatabase({ url: primary.url, name: "proof", maxConnections: 2, statementTimeoutMs: 0 });
    const stops: (() => Promise<unknown>)[] = [() => database.end(), primary.stop];
    try {
      await runCredence(["migrate"], { DATABASE_URL: primary.url });
      const shown = [...inventPopulation(1, people)].filter((one) => !one.operator);
      await savePeople(database, shown);
      await runCredence(["standing", "refresh"], { DATABASE_URL: primary.url });
      const replicas = [];
      for (const name of ["replica-1", "replica-2"]) {
        const replica = await makeReplica(folder, primary, name);
        replicas.push(replica);
        stops.unshift(replica.stop);
      }
      const [frozen] = replicas as [Cluster, Cluster];
      const balancer = await balance(replicas.map((replica) => replica.port));
      stops.unshift(async () => balancer.close());
      const url = new URL(primary.url);
      url.port = String((balancer.address() as { port: number }).port);
      const server = await startServer(primary.url, {
        DATABASE_READ_URL: url.href,
        CACHE_MAX_AGE: `${CACHE_MAX_AGE_SECONDS}s`,
      });
      stops.unshift(server.stop);
      return await hideWhileFrozen(
        server,
        frozen,
        shown.map((one) => one.passport.passport_id),
        (passportId) => changePerson(database, { action: "hide", passportId }),
      );
    } finally {
      for (const stop of stops) await stop().catch(() => {});
    }
  });
}

async function hideWhileFrozen(
  server: ProofServer,
  frozen: Cluster,
  ids: readonly number[],
  hide: (passportId: number) => Promise<unknown>,
) {
  const standby = new pg.Client({ connectionString: frozen.url });
  await standby.connect();
  const hidden = ids.slice(0, 5);
  const counts = { reads: 0, shown_within_bound: 0, shown_after_bound: 0, failed: 0 };
  let hiddenAt = Number.POSITIVE_INFINITY;
  let going = true;
  const read = async (start: number) => {
    for (let at = start; going; at += 1) {
      const id = ids[at % ids.length] as number;
      const path = at % 7 === 0 ? `/api/v1/passports?per_page=100&page=${1 + (at % 3)}` : `/api/v1/passports/${id}`;
      const asked = performance.now();
      const { status, body } = await fetch(server.address + path).then(async (answer) => ({
        status: answer.status,
        body: await answer.text(),
      }));
      counts.reads += 1;
      if (status !== 200 && status !== 404) counts.failed += 1;
      const isLate = asked - hiddenAt > (CACHE_MAX_AGE_SECONDS + TOLERANCE_SECONDS) * 1_000;
      if (status !== 200 || !hidden.some((one) => body.includes(`"passport_id":${one},`))) continue;
      if (asked < hiddenAt) continue;
      if (isLate) counts.shown_after_bound += 1;
      else counts.shown_within_bound += 1;
    }
  };
  const reading = Array.from({ length: READERS }, (_, start) => read(start * 31));
  // All connections are open, to either replica, before one of them stops.
  while (counts.reads < 50 * READERS) await delay(20);
  await standby.query("select pg_wal_replay_pause()");
  for (const id of hidden) await hide(id);
  hiddenAt = performance.now();
  await delay((CACHE_MAX_AGE_SECONDS + TOLERANCE_SECONDS) * 1_000);
  const before = counts.reads;
  while (counts.reads < before + 200 * READERS) await delay(20);
  const metrics = await (await fetch(`${server.privateAddress}/metrics`)).text();
  going = false;
  await Promise.all(reading);
  await standby.end();
  const used = Number(/^credence_replica_used (\S+)$/m.exec(metrics)?.[1]);
  const discarded = Number(/^credence_replica_discarded_total (\S+)$/m.exec(metrics)?.[1]);
  assert.equal(counts.shown_after_bound, 0, "a hidden person was shown after the bound");
  assert.equal(counts.failed, 0, "a read failed");
  assert.equal(used, 1, "the replica that is well was not read");
  assert.ok(discarded > 0, "no connection was found to be behind");
  return { ...counts, discarded_connections: discarded };
}

/** One address for several servers: each new connection goes to the next of them. */
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
