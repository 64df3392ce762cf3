import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { type Database, openDatabase, queryValue } from "#core/database/database.ts";
import { codeOf } from "#core/database/failures.ts";
import { addProcessed, hasProcessed, nothingProcessed, processRequests } from "#holders/manage/process-requests.ts";
import { type NewRequest, openHolderRequests } from "#holders/serve/serve-requests.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { grantServing } from "#rights/manage/replace-rights.ts";
import { HOLDERS_ON, signRequest } from "#testing/holders.ts";
import { person } from "#testing/people.ts";
import { administer, ensureRole, SERVE_ROLE } from "#testing/server.ts";
import { solanaWallet } from "#testing/wallets.ts";
import { type Arguments, CAPTURED, FORGERIES, type Pair, WRONG } from "./forged-requests/forgeries.ts";
import { digestTables, withProofDatabase } from "./harness.ts";

const CONCURRENT = 8;
/** Fewer than wait for a worker at most. */
const BATCH = 800;
const CALLS_PER_ROW = 10;

/** What is stored about a pair of passport number and wallet. Nobody may tell them apart. */
const CLASSES = ["listed", "hidden", "unlisted", "unknown"] as const;
type Class = (typeof CLASSES)[number];
const classOf = (at: number): Class => CLASSES[at % CLASSES.length] as Class;

type Stolen = { database: Database; owner: Database; pairs: readonly Pair[] };

/**
 * Somebody has a connection of the serving role. Forged rows are inserted, and the functions are
 * called with every kind of argument. No worker acts on any of it. Errors, results, stored rows and,
 * after workers have run, the states are the same for pairs of passport and wallet that are listed,
 * hidden, unlisted or unknown.
 */
export function proveForgedRequests(rows: number) {
  return withProofDatabase(async ({ url, database }) => {
    await administer((admin) => ensureRole(admin, SERVE_ROLE));
    await grantServing(database, SERVE_ROLE);
    const pairs = Array.from({ length: rows }, (_, index) => ({
      id: index + 1,
      wallet: solanaWallet(`holder ${index}`),
    }));
    await savePairs(database, pairs);
    const real = { id: rows + 1, wallet: solanaWallet("real") };
    await savePeople(database, [person(real.id, { main_wallet: real.wallet.address })]);
    await refreshStanding(database);
    const before = await digestTables(database);
    const stolenUrl = new URL(url);
    stolenUrl.username = SERVE_ROLE;
    const options = { name: "stolen", maxConnections: CONCURRENT, statementTimeoutMs: 0 };
    const stolen = openDatabase({ url: stolenUrl.href, ...options });
    try {
      const world: Stolen = { database: stolen, owner: database, pairs };
      const forged = await insertForged(world);
      const calls = await callWrongly(world, rows * CALLS_PER_ROW);
      assert.deepEqual(await digestTables(database), before, "A forged request was acted on.");
      const audited = "select string_agg(distinct action, ' ' order by action) from audit";
      assert.equal(await queryValue(database, audited), "refuse unproven", "Only refusals are in the audit log.");
      assert.equal(await queryValue(database, "select count(*)::int from holder_export"), 0);
      await serveReal(world, real);
      return { ...forged, ...calls };
    } finally {
      await stolen.end();
    }
  });
}

/** Visible people, hidden people, people who do not list the wallet; the last quarter is not stored. */
async function savePairs(database: Database, pairs: readonly Pair[]): Promise<void> {
  const people = pairs.flatMap(({ id, wallet }, index) => {
    const of = classOf(index);
    if (of === "unknown") return [];
    const main_wallet = of === "unlisted" ? solanaWallet(`another ${index}`).address : wallet.address;
    return [person(id, { main_wallet }, { operator: { hidden: of === "hidden" } })];
  });
  for (let index = 0; index < people.length; index += 1_000)
    await savePeople(database, people.slice(index, index + 1_000));
}

async function work(database: Database) {
  let total = nothingProcessed();
  for (let isBusy = true; isBusy; ) {
    const batch = await processRequests(database, { ...HOLDERS_ON, graceMs: 0 }, (error) => {
      throw error;
    });
    total = addProcessed(total, batch);
    isBusy = hasProcessed(batch);
  }
  return total;
}

async function insertForged({ database, owner, pairs }: Stolen) {
  const { enqueue, stateOf } = openHolderRequests(database);
  const forger = solanaWallet("forger");
  const kinds = Object.entries({ ...FORGERIES, ...CAPTURED });
  // Each kind meets each class.
  const kindOf = (at: number) => kinds[Math.floor(at / CLASSES.length) % kinds.length] as (typeof kinds)[number];
  const requests: NewRequest[] = pairs.map((pair, index) => kindOf(index)[1](pair, forger));
  let processed = nothingProcessed();
  let workerMs = 0;
  for (let index = 0; index < requests.length; index += BATCH) {
    await inParallel(requests.slice(index, index + BATCH), (request) => enqueue(request));
    const started = performance.now();
    const working = work(owner);
    const counts = await pollWaiting(database, working);
    processed = addProcessed(processed, await working);
    workerMs += performance.now() - started;
    // Listed and unlisted requests are seen in one step.
    for (const count of counts)
      assert.ok(count === 0 || count >= requests.slice(index, index + BATCH).length, `${count} wait`);
  }
  const { unlisted, forged, advanced } = processed;
  assert.equal(unlisted + forged + advanced, requests.length, "A forged row was lost.");
  // Then refusals are shown.
  await owner.query("update holder_request set received_at = received_at - interval '31 seconds'");
  const shown = new Map<string, Set<string>>();
  for (const [index, request] of requests.entries()) {
    const [kind] = kindOf(index);
    if (kind in CAPTURED) continue;
    const state = { ...(await stateOf(request.code)), receivedAt: null };
    const seen = shown.get(kind) ?? new Set();
    shown.set(kind, seen.add(JSON.stringify(state).replaceAll(/\d+/g, "N")));
  }
  for (const [kind, states] of shown) assert.equal(states.size, 1, `${kind}: ${[...states].join("\n")}`);
  const { rows: stored } = await owner.query<{ row: string }>(
    `select distinct regexp_replace((to_jsonb(request) - '{request_id,code_hash,passport_id,action,received_at,seen_at,completed_at}'::text[])::text,
       '\\d+', 'N') as row from holder_request as request where note like '%does not list%'`,
  );
  assert.equal(stored.length, 1, `Rows differ: ${JSON.stringify(stored)}`);
  return {
    forged_rows: requests.length,
    acted_on: 0,
    kinds: kinds.length,
    worker_ms_per_forged_row: Number((workerMs / requests.length).toFixed(3)),
  };
}

/** How many requests wait, as the serving role sees it while a worker runs. */
async function pollWaiting(database: Database, working: Promise<unknown>): Promise<Set<number>> {
  const counts = new Set<number>();
  let isOver = false;
  working.finally(() => {
    isOver = true;
  });
  while (!isOver) counts.add(await queryValue<number>(database, "select requests from waiting_requests()"));
  return counts;
}

/** Calls each function with wrong arguments, and with right ones, for pairs of all classes. */
async function callWrongly({ database, owner, pairs }: Stolen, calls: number) {
  const results = new Map<string, Set<string>>();
  const outcomes: Record<string, number> = {};
  const call = async (name: string, text: string, values: readonly unknown[]) => {
    const result = await runReadWrite(database, text, values).catch((error) => codeOf(error) ?? String(error));
    const kind = result.replaceAll(/\d{6,}|[0-9a-f]{32,}/g, "N");
    results.set(name, (results.get(name) ?? new Set()).add(kind));
    outcomes[kind] = (outcomes[kind] ?? 0) + 1;
  };
  const numbers = Array.from({ length: calls }, (_, index) => index);
  for (let from = 0; from < calls; from += BATCH) {
    await inParallel(numbers.slice(from, from + BATCH), async (at) => {
      const pair = pairs[at % pairs.length] as Pair;
      const variant = Math.floor(at / CLASSES.length) % (WRONG.length + 4);
      const hash = createHash("sha256").update(`call ${at}`).digest();
      if (variant === WRONG.length) return call("state", "select state_of_request($1)::text as result", [hash]);
      if (variant === WRONG.length + 1) return call("withdraw", "select withdraw_request($1)::text as result", [hash]);
      if (variant === WRONG.length + 2) return call("fetch", "select fetch_export($1, $1) as result", [hash]);
      const request = signRequest({ ...pair.wallet, sign: () => "a" }, "erase", pair.id);
      const { action, passportId, address, message, signature, nonce } = request;
      const values: Arguments = [hash, null, passportId, action, address, message, signature, nonce];
      const [place, value] = WRONG[variant] ?? [1, randomBytes(32)];
      values[place] = value as never;
      return call(`enqueue ${variant}`, `select enqueue_request($1, $2, $3, $4, $5, $6, $7, $8) as result`, values);
    });
    await work(owner);
  }
  for (const [name, kinds] of results) assert.equal(kinds.size, 1, `${name}: ${[...kinds].join(", ")}`);
  return { calls, outcomes };
}

async function runReadWrite(database: Database, text: string, values: readonly unknown[]): Promise<string> {
  const connection = await database.connect();
  try {
    await connection.query("begin read write");
    const { rows } = await connection.query<{ result: string | null }>(text, [...values]);
    return rows.length === 0 ? "no row" : String(rows[0]?.result);
  } finally {
    // Also after an error, which has ended the transaction already.
    await connection.query("commit");
    connection.release();
  }
}

/** A real holder is served among all this. */
async function serveReal({ database, owner }: Stolen, { id, wallet }: Pair): Promise<void> {
  const { enqueue, stateOf } = openHolderRequests(database);
  const { code } = await enqueue(signRequest(wallet, "hide", id));
  await work(owner);
  assert.equal((await stateOf(code))?.state, "done");
}

async function inParallel<Item>(items: readonly Item[], run: (item: Item, at: number) => Promise<unknown>) {
  const entries = items.entries();
  const runOne = async () => {
    for (const [at, item] of entries) await run(item, at);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, runOne));
}
