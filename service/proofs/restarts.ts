import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Database, queryValue } from "#core/database/database.ts";
import { issueKey } from "#keys/manage/issue-key.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { grantServing } from "#rights/manage/replace-rights.ts";
import { findFreePorts } from "#testing/free-ports.ts";
import { person } from "#testing/people.ts";
import { startProxy } from "#testing/proxy.ts";
import { administer, ensureRole, SERVE_ROLE } from "#testing/server.ts";
import { type ProofServer, startServer, waitFor, withProofDatabase, withProofFolder } from "./harness.ts";

const PEOPLE = 500;
const KEYS = 200;
const NODES = 2;
const CONCURRENT = 32;
/** Of a client between two requests: the load must leave time to start nodes. */
const PAUSE_MS = 25;
const MIN_RESTARTS = 2;
/** After SIGKILL, the counts of at most this time are lost. */
const INTERVAL_MS = 10_000;
/** Timers of a busy process fire late, and a write takes time. */
const LATE_MS = 2_000;

type Key = { keyId: string; token: string };
/** Sends a request with a key. Returns its status. */
type Send = (path: string, token: string) => Promise<number>;

/**
 * Two nodes behind nginx are restarted in turn while 200 keys send requests: every request gets its
 * response, and the stored counts of usage equal the responses, for each key. Another node is killed:
 * the counts of at most one interval are lost.
 */
export function proveRestarts(requests: number) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      await savePeople(
        database,
        Array.from({ length: PEOPLE }, (_, index) => person(index + 1)),
      );
      await refreshStanding(database);
      await administer((admin) => ensureRole(admin, SERVE_ROLE));
      await grantServing(database, SERVE_ROLE);
      const serveUrl = new URL(url);
      serveUrl.username = SERVE_ROLE;
      const start = (port: number) =>
        startServer(serveUrl.href, { PORT: String(port), DRAIN_DELAY: "500ms", TRUSTED_PROXIES: "127.0.0.1" });
      const keys = await Promise.all(Array.from({ length: KEYS }, () => issue(database)));
      const victimKey = await issue(database);
      // While a node restarts, the system must not use its port for a connection.
      const ports = await findFreePorts(NODES + 1);
      const [victim, ...nodes] = (await Promise.all(ports.map(start))) as [ProofServer, ...ProofServer[]];
      const proxy = await startProxy(
        join(folder, "proxy"),
        nodes.map(({ address }) => address),
        { isUnlimited: true },
      );
      try {
        const attacked = startLoad(
          async (path, token) => (await fetch(victim.address + path, { headers: { "x-api-key": token } })).status,
          [victimKey],
          2,
        );
        const load = startLoad(
          async (path, token) => (await proxy.send(path, { headers: { "x-api-key": token } })).status,
          keys,
          CONCURRENT,
        );
        let restarts = 0;
        while (load.failed.length === 0 && (restarts < MIN_RESTARTS || load.times.length < requests)) {
          const at = restarts % NODES;
          const { port } = new URL((nodes[at] as ProofServer).address);
          await nodes[at]?.stop();
          nodes[at] = await start(Number(port));
          await waitFor(
            "the restarted node to be ready",
            async () => (await fetch(`${nodes[at]?.address}/health/ready`)).ok,
          );
          restarts += 1;
        }
        await load.stop();
        // SIGTERM to all: nothing may be lost.
        await Promise.all(nodes.map((node) => node.stop()));
        assert.equal(load.failed.length, 0, `First failures: ${load.failed.slice(0, 5).join(", ")}`);
        assert.deepEqual(await listWrong(database, load.responses), [], "The stored counts of these keys differ.");
        const killed = await killUnderLoad(victim, attacked, () => countStored(database, victimKey));
        return { requests: load.times.length, keys: KEYS, restarts, failed: load.failed.length, killed };
      } finally {
        await proxy.stop();
        await Promise.all([...nodes, victim].map((node) => node.stop()));
      }
    }),
  );
}

const issue = (database: Database): Promise<Key> =>
  issueKey(database, { label: "proof", contact: "proof", expiresAt: null });

const countStored = (database: Database, { keyId }: Key): Promise<number> =>
  queryValue(database, "select coalesce(sum(requests), 0)::double precision from usage_count where client = $1", [
    keyId,
  ]);

async function listWrong(database: Database, responses: ReadonlyMap<string, number>): Promise<string[]> {
  const { rows } = await database.query<{ client: string; requests: number }>(
    "select client, sum(requests)::double precision as requests from usage_count group by client",
  );
  const stored = new Map(rows.map(({ client, requests }) => [client, requests]));
  return [...responses]
    .filter(([keyId, count]) => stored.get(keyId) !== count)
    .map(([keyId, count]) => `${keyId}: ${count} responses, ${stored.get(keyId)} stored`);
}

type Load = ReturnType<typeof startLoad>;

/** Sends requests until `stop`, and counts the responses by key. */
function startLoad(send: Send, keys: readonly Key[], clients: number) {
  const responses = new Map<string, number>();
  const times: number[] = [];
  const failed: string[] = [];
  let sent = 0;
  let isStopped = false;
  const client = async () => {
    while (!isStopped) {
      const at = sent++;
      const { keyId, token } = keys[at % keys.length] as Key;
      const id = 1 + (at % PEOPLE);
      const paths = [`passports?page=${1 + (at % 20)}`, `passports/${id}`, `passport_credentials?passport_id=${id}`];
      const path = `/api/v1/${paths[at % paths.length]}`;
      const outcome = await send(path, token).catch(String);
      if (outcome !== 200) failed.push(`${path}: ${outcome}`);
      if (typeof outcome !== "number") continue;
      responses.set(keyId, (responses.get(keyId) ?? 0) + 1);
      times.push(performance.now());
      await setTimeout(PAUSE_MS);
    }
  };
  const ended = Promise.all(Array.from({ length: clients }, client));
  const stop = async () => {
    isStopped = true;
    await ended;
  };
  return { responses, times, failed, stop };
}

/** Kills a node with SIGKILL under load. Compares what was counted with its responses. */
async function killUnderLoad(node: ProofServer, load: Load, countStoredRequests: () => Promise<number>) {
  await waitFor("a count of the key", countStoredRequests, (count) => count > 0);
  const exited = once(node.process, "close");
  const killedAt = performance.now();
  node.process.kill("SIGKILL");
  await Promise.all([exited, load.stop()]);
  const stored = await countStoredRequests();
  const lost = load.times.length - stored;
  const inLastInterval = load.times.filter((time) => time >= killedAt - INTERVAL_MS - LATE_MS).length;
  assert.ok(lost >= 0, `${-lost} requests were counted twice.`);
  assert.ok(lost <= inLastInterval, `${lost} lost, ${inLastInterval} sent in the last interval.`);
  return { requests: load.times.length, stored, lost, sent_in_last_interval: inLastInterval };
}
