import assert from "node:assert/strict";
import { grantServing } from "#operations/access/grant-serving.ts";
import { processRequests } from "#operations/holder-requests/process-requests.ts";
import { refreshStanding } from "#operations/standing/refresh-standing.ts";
import { savePeople } from "#operations/write/save-people.ts";
import { type Database, openDatabase, queryValue } from "#store/engine/database.ts";
import { type HolderRequests, type NewRequest, openHolderRequests } from "#store/holder-requests/serve-requests.ts";
import { HOLDERS_ON, signRequest } from "#testing/holders.ts";
import { person } from "#testing/people.ts";
import { administer, ensureRole, SERVE_ROLE } from "#testing/server.ts";
import { solanaWallet, type TestWallet } from "#testing/wallets.ts";
import { digestTables, withProofDatabase } from "./harness.ts";

const CONCURRENT = 8;
const HOUR_MS = 3_600_000;

type Holder = { id: number; wallet: TestWallet };

/**
 * Ways to forge a request over a stolen connection of the serving role. The forger may also know
 * HOLDER_KEY, as a serving node does, so most of these have a valid nonce.
 */
const FORGERIES: Record<string, (holder: Holder, forger: TestWallet) => NewRequest> = {
  "invented text": ({ id, wallet }) => ({
    action: "erase",
    passportId: id,
    address: wallet.address,
    message: `Erase passport ${id}.`,
    signature: "a",
    nonce: `invented ${id}`,
  }),
  "signed with another wallet": ({ id, wallet }, forger) =>
    signRequest({ address: wallet.address, sign: forger.sign }, "erase", id),
  "another address in the row": ({ id, wallet }, forger) => ({
    ...signRequest(forger, "erase", id),
    address: wallet.address,
  }),
  "another passport in the row": ({ id, wallet }) => ({ ...signRequest(wallet, "hide", id + 1), passportId: id }),
  "another action in the row": ({ id, wallet }) => ({ ...signRequest(wallet, "see", id), action: "erase" }),
  "another nonce in the row": ({ id, wallet }) => ({ ...signRequest(wallet, "hide", id), nonce: `other ${id}` }),
  "captured an hour ago": ({ id, wallet }) => signRequest(wallet, "hide", id, new Date(Date.now() - HOUR_MS)),
  "from the future": ({ id, wallet }) => signRequest(wallet, "hide", id, new Date(Date.now() + HOUR_MS)),
};

/**
 * Forged rows are inserted through `enqueue` over a stolen connection of the serving role: the
 * worker acts on none of them, and deletes them all. Requests for wallets that are not listed, and
 * second requests, are not stored, so the table never has more rows than there are people. A real
 * holder is served among them.
 */
export function proveForgedRequests(rows: number) {
  return withProofDatabase(async ({ url, database }) => {
    await administer((admin) => ensureRole(admin, SERVE_ROLE));
    await grantServing(database, SERVE_ROLE);
    const holders = Array.from({ length: rows + 1 }, (_, at) => ({ id: at + 1, wallet: solanaWallet(`holder ${at}`) }));
    for (let at = 0; at < holders.length; at += 1_000) {
      const batch = holders.slice(at, at + 1_000);
      await savePeople(
        database,
        batch.map(({ id, wallet }) => person(id, { main_wallet: wallet.address })),
      );
    }
    await refreshStanding(database);
    const stolenUrl = new URL(url);
    stolenUrl.username = SERVE_ROLE;
    const stolen = openDatabase({
      url: stolenUrl.href,
      name: "stolen",
      maxConnections: CONCURRENT,
      statementTimeoutMs: 0,
    });
    try {
      return await attack(database, openHolderRequests(stolen), holders);
    } finally {
      await stolen.end();
    }
  });
}

async function attack(database: Database, { enqueue, stateOf }: HolderRequests, holders: readonly Holder[]) {
  const forger = solanaWallet("forger");
  const before = await digestTables(database);
  const count = () => queryValue<number>(database, "select count(*) from holder_request");
  // Signed by a wallet that no record lists: nothing is stored.
  await inParallel(holders, ({ id }) => enqueue(signRequest(forger, "hide", id)));
  assert.equal(await count(), 0, "A request for a wallet that is not listed was stored.");
  const [real, ...victims] = holders as [Holder, ...Holder[]];
  const kinds = Object.entries(FORGERIES);
  const forge = (holder: Holder, at: number) => (kinds[at % kinds.length] as (typeof kinds)[number])[1](holder, forger);
  await inParallel(victims, (holder, at) => enqueue(forge(holder, at)));
  // Once more, with other kinds: one request per person is open.
  await inParallel(victims, (holder, at) => enqueue(forge(holder, at + 1)));
  const stored = await count();
  assert.equal(stored, victims.length, "Every person has one open request.");
  const { code } = await enqueue(signRequest(real.wallet, "hide", real.id));

  const started = performance.now();
  const processed = { advanced: 0, forged: 0 };
  for (let isBusy = true; isBusy; ) {
    const batch = await processRequests(database, { ...HOLDERS_ON, graceMs: 0 }, (error) => {
      throw error;
    });
    processed.advanced += batch.advanced;
    processed.forged += batch.forged;
    isBusy = batch.advanced + batch.forged > 0;
  }
  const workerMs = performance.now() - started;
  assert.deepEqual(processed, { advanced: 1, forged: stored });
  assert.equal((await stateOf(code))?.state, "done");
  assert.equal(await count(), 1, "Only the real request is stored.");
  const audited = await queryValue(database, "select string_agg(action || passport_id, ' ' order by at) from audit");
  assert.equal(audited, `request${real.id} hide${real.id}`);
  assert.equal(await queryValue(database, "select count(*) from holder_export"), 0);
  // Show the real holder again: all people are as before.
  await enqueue(signRequest(real.wallet, "unhide", real.id, new Date(Date.now() - 1_000)));
  await processRequests(database, HOLDERS_ON, () => {});
  await refreshStanding(database);
  assert.deepEqual(await digestTables(database), before);
  return {
    forged: stored,
    acted_on: 0,
    not_stored: holders.length + victims.length,
    kinds: kinds.length,
    worker_ms_per_forged_row: Number((workerMs / stored).toFixed(3)),
  };
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item, at: number) => Promise<unknown>) {
  const entries = items.entries();
  const runOne = async () => {
    for (const [at, item] of entries) await work(item, at);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, runOne));
}
