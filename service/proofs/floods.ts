import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { VARIABLES } from "#core/config/variables.ts";
import { type Database, queryValue } from "#core/database/database.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { grantServing } from "#rights/manage/replace-rights.ts";
import { HOLDER_ENVIRONMENT, post } from "#testing/holder-client.ts";
import { signedRequest } from "#testing/holders.ts";
import { person } from "#testing/people.ts";
import { administer, ensureRole, SERVE_ROLE } from "#testing/server.ts";
import { evmWallet } from "#testing/wallets.ts";
import { startControl } from "./abuse/control.ts";
import type { GoodOptions, GoodReport } from "./abuse/good-client.ts";
import { startLoadProcess } from "./abuse/load-process.ts";
import type { Counts } from "./abuse/raw-connections.ts";
import { readCpuMs, startWatchedServer } from "./abuse/watched-server.ts";
import type { FloodOrder } from "./floods/attacker.ts";
import { PUBLIC_URL } from "./floods/kinds.ts";
import { startCredence, waitFor, withProofDatabase } from "./harness.ts";

const PEOPLE = 1_000;
const HOLDER = 1;
/** Together, the addresses may send 500 requests of holders a second before they are refused. */
const ADDRESSES = 1_000;
const IDLE_MS = 10_000;
/** The holder keeps to the rate limit of an address: 5 requests in 10 seconds. */
const HOLDER_EVERY_MS = 2_500;
/** Documented in docs/RELIABILITY.md. */
const SERVED_WITHIN_MS = 10_000;
const { RATE_LIMIT_ANONYMOUS, RATE_LIMIT_KEYS } = VARIABLES;
const LIMITED = { RATE_LIMIT_ANONYMOUS, RATE_LIMIT_KEYS };
const NICENESS = 5;

/** What the flood may leave in the table of requests. */
const MAX_LEFT = { rows: 110_000, mib: 50 };

/**
 * Many clients send requests of holders without valid proof. No worker acts on them. Meanwhile
 * look-ups are answered, and a real holder hides and shows a record.
 */
export const proveFlood = (requests: number) => prove("unproven", requests, SERVED_WITHIN_MS);

/** The same with valid signatures, each of another wallet that no record lists. */
export const proveThrowAwayFlood = (requests: number) => prove("throw-away", requests, 3 * SERVED_WITHIN_MS);

function prove(kind: FloodOrder["kind"], requests: number, servedWithinMs: number) {
  return withProofDatabase(async ({ url, database }) => {
    const wallet = evmWallet("holder");
    await savePeople(
      database,
      Array.from({ length: PEOPLE }, (_, index) =>
        person(index + 1, index + 1 === HOLDER ? { main_wallet: wallet.address } : {}),
      ),
    );
    await refreshStanding(database);
    await administer((admin) => ensureRole(admin, SERVE_ROLE));
    await grantServing(database, SERVE_ROLE);
    const serveUrl = new URL(url);
    serveUrl.username = SERVE_ROLE;
    const settings = { ...HOLDER_ENVIRONMENT, PUBLIC_URL };
    const server = await startWatchedServer(serveUrl.href, { ...settings, ...LIMITED });
    const worker = startCredence(["work"], { ...settings, DATABASE_URL: url });
    const attacker = startLoadProcess("../floods/attacker.ts", NICENESS);
    const client = startLoadProcess("good-client.ts", 0);
    const control = await startControl();
    try {
      const paths = Array.from({ length: PEOPLE - 1 }, (_, index) => `/api/v1/passports/${index + 2}`);
      const lookUpDuring = async (work: Promise<unknown>): Promise<GoodReport> => {
        const addresses = { address: server.address, controlAddress: control.address };
        const pace = { perSecond: 20, readinessEveryMs: 1_000 };
        const options: GoodOptions = { ...addresses, ...pace, paths, listPaths: ["/api/v1/passports"] };
        await client.call("begin", options);
        await work;
        return client.call<GoodReport>("end");
      };
      const idle = await lookUpDuring(delay(Math.min(IDLE_MS, requests)));
      const before = readCpuMs(worker.process.pid);
      const started = performance.now();
      const port = Number(new URL(server.address).port);
      const order: FloodOrder = { kind, port, requests, addresses: Math.min(ADDRESSES, requests) };
      const flooded = new AbortController();
      const flooding = attacker.call<Counts>("run", order).finally(() => flooded.abort());
      const holding = useRights(database, `${server.address}/holder/requests`, wallet, flooded.signal);
      // A failure of one of them ends the proof.
      const [good, served] = await Promise.all([lookUpDuring(flooding), holding]);
      const seconds = (performance.now() - started) / 1_000;
      const { statuses, requests: sent } = await flooding;
      const worker_cpu_ms = readCpuMs(worker.process.pid) - before;
      await waitFor(
        "the worker to look at all requests",
        () => inspectTable(database),
        ({ unseen }) => unseen === 0,
      );
      const left = await inspectTable(database);
      assert.equal(sent, requests);
      const aboutOthers = "select count(*)::int from decision where passport_id <> $1";
      assert.equal(await queryValue(database, aboutOthers, [HOLDER]), 0, "A request without proof was carried out.");
      const p99LimitMs = Math.max(50, 5 * idle.p99_ms);
      const slowest_ms = Math.max(...served);
      const p95_ms = served.toSorted((a, b) => a - b)[Math.floor(served.length * 0.95)] as number;
      const not_met = [
        ...(p95_ms > servedWithinMs ? [`the holder was served after ${p95_ms} ms (p95)`] : []),
        ...(left.rows > MAX_LEFT.rows || left.mib > MAX_LEFT.mib ? ["the table is too large"] : []),
        ...(good.readiness_failures > 0 ? [`${good.readiness_failures} readiness checks failed`] : []),
        ...(good.failures > 0 ? [`look-ups failed: ${JSON.stringify(good.reasons)}`] : []),
        ...(good.p99_ms > p99LimitMs ? [`p99 ${good.p99_ms} ms, limit ${p99LimitMs} ms`] : []),
      ];
      const holder = { requests: served.length, p95_ms, slowest_ms };
      return { sent, seconds: Math.round(seconds), statuses, left, worker_cpu_ms, holder, idle, good, not_met };
    } finally {
      await Promise.all([attacker.stop(), client.stop(), control.stop()]);
      worker.process.kill("SIGTERM");
      await worker.ended;
      await server.stop();
    }
  });
}

/** A holder hides and shows the record in turn, at least once, and returns how long each took. */
async function useRights(database: Database, url: string, wallet: ReturnType<typeof evmWallet>, end: AbortSignal) {
  const times: number[] = [];
  do {
    const wish = times.length % 2 === 0 ? "hide" : "show";
    const started = performance.now();
    await waitFor(`the request to ${wish} to be accepted`, async () => {
      const response = await post(url, signedRequest(wallet, wish, { publicUrl: PUBLIC_URL }));
      if (response.status === 202) return true;
      assert.ok([429, 503].includes(response.status), `${response.status} ${await response.text()}`);
      await delay(1_000 * Number(response.headers.get("retry-after")));
      return false;
    });
    const isHidden = "select exists (select from decision_in_force where passport_id = $1)";
    await waitFor(
      `the record to be hidden or shown: ${wish}`,
      () => queryValue(database, isHidden, [HOLDER]),
      (hidden) => hidden === (wish === "hide"),
    );
    times.push(Math.round(performance.now() - started));
    await delay(HOLDER_EVERY_MS, undefined, { signal: end }).catch(() => {});
  } while (!end.aborted);
  return times;
}

/** What is in the table of requests. */
async function inspectTable(database: Database) {
  const { rows } = await database.query<{ rows: number; unseen: number; mib: number }>(
    `select count(*)::int as rows, count(*) filter (where state = 'received')::int as unseen,
       round(pg_total_relation_size('holder_request') / 1048576.0, 1)::float as mib
     from holder_request`,
  );
  return rows[0] as { rows: number; unseen: number; mib: number };
}
