import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { type Database, queryValue } from "#core/database/database.ts";
import { grantServing } from "#doctor/rights/grant-serving.ts";
import { issueKey } from "#keys/manage/issue-key.ts";
import { findFreePorts } from "#testing/free-ports.ts";
import { administer, ensureRole, SERVE_ROLE } from "#testing/server.ts";
import { type ProofServer, startServer, waitFor, withProofDatabase } from "./harness.ts";

const KEYS = 200;
const NODES = 3;
const CONCURRENT = 16;
const MIN_RESTARTS = 2;
/** After SIGKILL, the counts of at most this time are lost. */
const INTERVAL_MS = 10_000;
/** Timers of a busy process fire late, and a write takes time. */
const LATE_MS = 2_000;
const RESPONSE_TIMEOUT_MS = 60_000;
const NO_RESPONSE = new Error(`A request got no response in ${RESPONSE_TIMEOUT_MS} ms.`);

type Key = { keyId: string; token: string };

/**
 * Nodes are restarted in turn while 200 keys send requests: the stored counts equal
 * the responses that clients received, for each key. Another node is killed: the counts of at most
 * one interval are lost.
 */
export function proveUsage(requests: number) {
  return withProofDatabase(async ({ url, database }) => {
    await administer((admin) => ensureRole(admin, SERVE_ROLE));
    await grantServing(database, SERVE_ROLE);
    const serveUrl = new URL(url);
    serveUrl.username = SERVE_ROLE;
    const start = (port: number) => startServer(serveUrl.href, { PORT: String(port) });
    // While a node restarts, the system must not use its port for a connection.
    const ports = await findFreePorts(NODES + 1);
    const keys = await Promise.all(Array.from({ length: KEYS }, () => issue(database)));
    const victimKey = await issue(database);
    const [victim, ...nodes] = await Promise.all(ports.map(start));
    try {
      const attacked = startLoad([victim as ProofServer], [victimKey], Number.POSITIVE_INFINITY, 2);
      const load = startLoad(nodes, keys, requests, CONCURRENT);
      let restarts = 0;
      while (restarts < MIN_RESTARTS || !load.isOver()) {
        const at = restarts % NODES;
        const { port } = new URL((nodes[at] as ProofServer).address);
        await nodes[at]?.stop();
        nodes[at] = await start(Number(port));
        restarts += 1;
      }
      load.stop();
      await load.ended;
      // SIGTERM to all: nothing may be lost.
      await Promise.all(nodes.map((node) => node.stop()));
      const wrong = await listWrong(database, load.responses);
      assert.deepEqual(wrong, [], "The stored counts of these keys differ.");

      await waitFor(
        "a count of the key",
        () => countStored(database, victimKey),
        (count) => count > 0,
      );
      const killed = await kill(victim as ProofServer, attacked);
      const stored = await countStored(database, victimKey);
      const lost = killed.responses - stored;
      assert.ok(lost >= 0, `${-lost} requests were counted twice.`);
      assert.ok(lost <= killed.inLastInterval, `${lost} lost, ${killed.inLastInterval} sent in the last interval.`);
      const sent = [...load.responses.values()].reduce((sum, count) => sum + count, 0);
      return {
        ...{ requests: sent, keys: KEYS, nodes: NODES, restarts, wrong_counts: wrong.length },
        killed: { requests: killed.responses, stored, lost, sent_in_last_interval: killed.inLastInterval },
      };
    } finally {
      await Promise.all([...nodes, victim].map((node) => node?.stop()));
    }
  });
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
function startLoad(nodes: readonly ProofServer[], keys: readonly Key[], requests: number, clients: number) {
  const agent = new Agent({ keepAlive: true });
  const responses = new Map<string, number>();
  const times: number[] = [];
  let sent = 0;
  let isStopped = false;
  const client = async () => {
    while (!isStopped) {
      const { keyId, token } = keys[sent % keys.length] as Key;
      const node = nodes[sent % nodes.length] as ProofServer;
      const path = ["/api/v1/passports", "/api/v1/passports/1", "/api/v1/passport_credentials"][sent % 3] as string;
      sent += 1;
      // A connection that is refused or reset while a node restarts has no response to count.
      const isAnswered = await send(agent, node.address + path, token).then(
        () => true,
        (error: Error) => {
          if (error === NO_RESPONSE) throw error;
          return false;
        },
      );
      if (!isAnswered) continue;
      responses.set(keyId, (responses.get(keyId) ?? 0) + 1);
      times.push(performance.now());
    }
  };
  const ended = Promise.all(Array.from({ length: clients }, client)).then(() => agent.destroy());
  let hasFailed = false;
  ended.catch(() => {
    hasFailed = true;
  });
  return {
    responses,
    times,
    isOver: () => times.length >= requests || hasFailed,
    stop: () => {
      isStopped = true;
    },
    ended,
  };
}

async function send(agent: Agent, url: string, token: string): Promise<void> {
  const options = { agent, headers: { "x-api-key": token }, timeout: RESPONSE_TIMEOUT_MS };
  const sending = request(url, options).end();
  sending.on("timeout", () => sending.destroy(NO_RESPONSE));
  const [response] = await once(sending, "response");
  await text(response);
}

/** Kills a node with SIGKILL under load. Returns its responses, and those of the last interval. */
async function kill(node: ProofServer, load: Load) {
  const exited = once(node.process, "close");
  const killedAt = performance.now();
  node.process.kill("SIGKILL");
  load.stop();
  await Promise.all([exited, load.ended]);
  const from = killedAt - INTERVAL_MS - LATE_MS;
  return { responses: load.times.length, inLastInterval: load.times.filter((time) => time >= from).length };
}
