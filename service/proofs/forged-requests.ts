import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type Database, inTransaction, openDatabase, queryColumn, queryValue } from "#core/database/database.ts";
import { codeOf as errorCodeOf } from "#core/database/failures.ts";
import { processRequests } from "#holders/manage/process-requests.ts";
import { tidyRequests } from "#holders/manage/requests.ts";
import type { HolderSettings } from "#holders/manage/settings.ts";
import { WISHES } from "#holders/proof/message.ts";
import { type NewRequest, openHolderRequests } from "#holders/serve/requests.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { grantServing } from "#rights/manage/replace-rights.ts";
import { hide } from "#testing/decide.ts";
import { HOLDERS_ON, signRequest } from "#testing/holders.ts";
import { person } from "#testing/people.ts";
import { administer, ensureRole, SERVE_ROLE } from "#testing/server.ts";
import { DOMAIN, KEY, type Subject } from "#testing/signature-mutations.ts";
import { evmWallet, solanaWallet, type TestWallet } from "#testing/wallets.ts";
import { FORGERIES } from "./forged-requests/forgeries.ts";
import { withProofDatabase } from "./harness.ts";

/** What is stored about the wallet of a forged request. Nobody may tell them apart. */
const CLASSES = ["main wallet", "hidden", "further wallet", "unknown"] as const;
const KINDS = { evm: evmWallet, solana: solanaWallet };
/** Each with each class, for both kinds of wallet. */
const CASES = (["evm", "solana"] as const).flatMap((kind) =>
  FORGERIES.filter(({ only }) => (only ?? kind) === kind).flatMap((forgery) =>
    CLASSES.map((of) => ({ ...forgery, kind, of })),
  ),
);
export const FORGERIES_TRIED = CASES.length / CLASSES.length;
const caseAt = (index: number) => CASES[index % CASES.length] as (typeof CASES)[number];
/** Fewer than may wait for a worker. */
const BATCH = 400;
/** As the texts of the forgeries; the worker asks nobody. */
const WORKER: HolderSettings = { ...HOLDERS_ON, domain: DOMAIN, keys: [KEY] };

type World = { stolen: Database; owner: Database };

/**
 * Somebody has a connection of the serving role, and may know HOLDER_KEY. Forged requests are inserted over it, and
 * SQL is run: nothing that is stored about people changes, and nothing tells the forger who is stored.
 */
export function proveForgedRequests(requests: number) {
  return withProofDatabase(async ({ url, database: owner }) => {
    await administer((admin) => ensureRole(admin, SERVE_ROLE));
    await grantServing(owner, SERVE_ROLE);
    const rounds = Math.ceil(requests / CASES.length);
    const subjects = Array.from({ length: rounds }, (_, round) => CASES.map((_, at) => subjectOf(round, at))).flat();
    await saveHolders(owner, subjects);
    await refreshStanding(owner);
    const stolenUrl = new URL(url);
    stolenUrl.username = SERVE_ROLE;
    const stolen = openDatabase({ url: stolenUrl.href, name: "stolen", maxConnections: 2, statementTimeoutMs: 0 });
    const world = { stolen, owner };
    try {
      const before = await digestOthers(owner);
      const states = await sendForged(world, subjects);
      const statements = await runStolenSql(world);
      assert.deepEqual(await digestOthers(owner), before, "A forged request was acted on.");
      await keepPromises(world);
      await replay(world);
      return { forged: subjects.length, forgeries: FORGERIES_TRIED, acted_on: 0, states, statements };
    } finally {
      await stolen.end();
    }
  });
}

function subjectOf(round: number, at: number): Subject {
  const create = KINDS[caseAt(at).kind];
  const name = `${round} ${at}`;
  const now = new Date(Math.floor(Date.now() / 1_000) * 1_000);
  // For texts that have expired: longer ago than clocks may differ.
  const random = 50_000 + ((round * 7_919 + at * 104_729) % 49_999);
  const wish = WISHES[(round + at) % WISHES.length] ?? "erase";
  return { holder: create(`holder ${name}`), other: create(`other ${name}`), wish, now, random };
}

/** Records of the holders, by class; the other wallets are main wallets. */
async function saveHolders(owner: Database, subjects: readonly Subject[]): Promise<void> {
  const hidden: number[] = [];
  const people = subjects.flatMap(({ holder, other }, index) => {
    const { of } = caseAt(index);
    const id = 1 + 2 * index;
    const bystander = person(id + 1, { main_wallet: other.address });
    if (of === "unknown") return [bystander];
    if (of === "hidden") hidden.push(id);
    const wallets = of === "further wallet" ? { verified_wallets: [holder.address] } : { main_wallet: holder.address };
    return [bystander, person(id, wallets)];
  });
  for (let from = 0; from < people.length; from += 1_000) await savePeople(owner, people.slice(from, from + 1_000));
  await hide(owner, hidden);
}

/** What the forger sees of the requests in the end is the same for each class. */
async function sendForged({ stolen, owner }: World, subjects: readonly Subject[]) {
  const { enqueue, stateOf } = openHolderRequests(stolen);
  const seen = new Map<string, Set<string>>();
  const states: Record<string, number> = {};
  for (let from = 0; from < subjects.length; from += BATCH) {
    const sent: { name: string; code: string }[] = [];
    for (const [index, subject] of subjects.slice(from, from + BATCH).entries()) {
      const { name, kind, forge } = caseAt(from + index);
      const request = forge(subject);
      await enqueue(request);
      sent.push({ name: `${name} (${kind})`, code: request.code });
    }
    await work(owner);
    for (const { name, code } of sent) {
      const { state = "deleted", note = null, passportIds = [] } = (await stateOf(code)) ?? {};
      assert.ok(["deleted", "received", "refused"].includes(state), `${name} is ${state}.`);
      seen.set(name, (seen.get(name) ?? new Set()).add(JSON.stringify({ state, note, passportIds })));
      states[state] = (states[state] ?? 0) + 1;
    }
    // Signed for another server or HOLDER_KEY: tried again for 7 days.
    await owner.query(
      "update holder_request set received_at = received_at - interval '8 days' where state = 'received'",
    );
    await tidyRequests(owner);
    assert.equal(await queryValue(owner, "select count(*)::int from holder_request where completed_at is null"), 0);
  }
  for (const [name, kinds] of seen) assert.equal(kinds.size, 1, `${name}: ${[...kinds].join(", ")}`);
  return states;
}

async function work(owner: Database, settings: Partial<HolderSettings> = {}): Promise<void> {
  const waiting = "select count(*)::int from holder_request where state = 'received' and retry_at <= now()";
  const onFailure = (error: unknown) => {
    // A request that was signed for another server fails, and is tried again.
    if (!String(error).includes("PUBLIC_URL or HOLDER_KEY")) throw error;
  };
  do await processRequests(owner, { ...WORKER, ...settings }, onFailure);
  while ((await queryValue<number>(owner, waiting)) > 0);
}

/** Every change of every table, and what else the role might try. */
async function runStolenSql({ stolen, owner }: World): Promise<number> {
  const request = signRequest(evmWallet("a thief"), "erase");
  await openHolderRequests(stolen).enqueue(request);
  const tables = await queryColumn<string>(
    owner,
    "select oid::regclass::text from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')",
  );
  const columns = await queryColumn<string>(
    owner,
    "select attrelid::regclass || ' set ' || quote_ident(attname) || ' = null' from pg_attribute join pg_class on pg_class.oid = attrelid where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') and attnum > 0",
  );
  const granted = await queryColumn<string>(
    owner,
    `select oid::regprocedure::text from pg_proc where pronamespace = 'public'::regnamespace and has_function_privilege('${SERVE_ROLE}', oid, 'execute') order by 1`,
  );
  const functions = await queryColumn<string>(
    owner,
    `select proname || '(' || array_to_string(array(select 'null::' || format_type(type, null) from unnest(proargtypes) as type), ', ') || ')'
     from pg_proc where pronamespace = 'public'::regnamespace and not has_function_privilege('${SERVE_ROLE}', oid, 'execute')`,
  );
  const statements = [
    ...tables.flatMap((table) => [`insert into ${table} default values`, `delete from ${table}`, `truncate ${table}`]),
    ...tables.flatMap((table) => [`drop table ${table}`, `alter table ${table} owner to ${SERVE_ROLE}`]),
    ...columns.map((column) => `update ${column}`),
    ...functions.map((call) => `select ${call}`),
    "select * from holder_request",
    "select * from decision",
    "select * from person",
    "update holder_request set passport_ids = '{1}', approved_for = '{1}', state = 'review'",
    "update holder_request set state = 'waiting', due_at = now()",
    "insert into holder_request (code_hash, wish, address, message, signature, nonce) values (sha256('a'), 'erase', 'a', 'b', 'c', 'd')",
    "alter table decision disable trigger all",
    "create function person_state() returns int language sql as 'select 1'",
    "create table holder_requests ()",
    "create schema decisions",
    `grant postgres to ${SERVE_ROLE}`,
    `grant all on person to ${SERVE_ROLE}`,
    "set session authorization default; delete from person",
    "set session_replication_role = replica",
    "copy (select 1) to program 'true'",
    "select pg_terminate_backend(pid) from pg_stat_activity where usename <> current_user",
  ];
  const done: string[] = [];
  for (const statement of statements) {
    if ((await runReadWrite(stolen, statement)) === null) done.push(statement);
  }
  assert.deepEqual(done, [], "The serving role may do this.");
  const stored =
    "select count(*)::int from holder_request where state = 'received' and passport_ids = '{}' and approved_for is null";
  assert.equal(await queryValue(owner, stored), 1);
  assert.deepEqual(
    granted.map((name) => name.replace(/\(.*/, "")).filter((name) => !/^(grams|fold|record_usage)/.test(name)),
    ["enqueue_request", "states_of_requests", "waiting_requests"],
  );
  await owner.query("delete from holder_request");
  return statements.length;
}

/** The error of a statement in a read-write transaction; null if there is none. */
async function runReadWrite(database: Database, statement: string): Promise<string | null> {
  const connection = await database.connect();
  try {
    await connection.query("begin read write");
    await connection.query(statement);
    await connection.query("commit");
    return null;
  } catch (error) {
    return errorCodeOf(error) ?? String(error);
  } finally {
    await connection.query("rollback; reset all").catch(() => {});
    connection.release();
  }
}

/** The thief has HOLDER_KEY: a valid text that promises less than the settings of the worker, and one that promises more. */
async function keepPromises({ stolen, owner }: World): Promise<void> {
  const settings = { ...HOLDERS_ON, mode: "review" as const };
  const careless = await addHolder(owner, 900_001);
  const { enqueue, stateOf } = openHolderRequests(stolen);
  const send = async (request: NewRequest, changed: Partial<HolderSettings>) => {
    await enqueue(request);
    await work(owner, { ...settings, ...changed });
    return await stateOf(request.code);
  };
  const promised = { isReviewed: false, graceSeconds: 1 };
  for (const wish of ["hide", "erase"] as const) {
    const request = signRequest(careless, wish, { ...promised, graceSeconds: wish === "erase" ? 1 : 0 });
    assert.equal((await send(request, {}))?.state, "review", `${wish}: the worker has HOLDER_REQUESTS=review.`);
  }
  const soon = await addHolder(owner, 900_002);
  const waiting = await send(signRequest(soon, "erase", promised), { mode: "on" });
  assert.ok(Number(waiting?.dueAt) - Date.now() > HOLDERS_ON.graceMs - 60_000, "The worker has a longer ERASE_GRACE.");
  const careful = await addHolder(owner, 900_003);
  const reviewed = signRequest(careful, "hide", { isReviewed: true });
  assert.equal((await send(reviewed, { mode: "on" }))?.state, "review", "The text promises a review.");
  const late = await addHolder(owner, 900_004);
  const later = await send(signRequest(late, "erase"), { mode: "on", graceMs: 0 });
  assert.ok(Number(later?.dueAt) - Date.now() > HOLDERS_ON.graceMs - 60_000, "The text promises a longer time.");
}

/** A request that was carried out, with the same text again, in every form, now and after its row is deleted. */
async function replay({ stolen, owner }: World): Promise<void> {
  const wallet = await addHolder(owner, 900_010);
  const { enqueue, stateOf } = openHolderRequests(stolen);
  const old = signRequest(wallet, "hide", { now: new Date(Date.now() - 2_000) });
  const isHidden = async () => {
    await work(owner, HOLDERS_ON);
    return queryValue<boolean>(owner, "select exists (select from decision_in_force where passport_id = 900010)");
  };
  await enqueue(old);
  assert.equal(await isHidden(), true);
  const show = signRequest(wallet, "show");
  await enqueue(show);
  assert.equal(await isHidden(), false, "A real holder is served.");
  assert.equal((await stateOf(show.code))?.state, "done");
  const random = () => randomBytes(16).toString("hex");
  const copies = [old, { ...old, code: random() }, { ...old, code: random(), nonce: random() }];
  for (const copy of copies) await enqueue(copy);
  assert.equal(await isHidden(), false, "A replayed request was carried out.");
  // As after a restore, or after the requests were deleted.
  await owner.query("delete from holder_request");
  await enqueue(signRequest(wallet, "hide", { now: new Date(Date.now() - 86_400_000) }));
  assert.equal(await isHidden(), false, "An old text was carried out.");
}

async function addHolder(owner: Database, id: number): Promise<TestWallet> {
  const wallet = evmWallet(`holder ${id}`);
  await savePeople(owner, [person(id, { main_wallet: wallet.address })]);
  return wallet;
}

/** All rows of all tables, but for requests and what serving nodes count. */
const digestOthers = (owner: Database): Promise<Record<string, string>> =>
  inTransaction(owner, async (connection) => {
    const tables = await queryColumn<string>(
      connection,
      `select relname::text from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
         and relname !~ '^(holder_request|usage_|worker_process)' order by relname`,
    );
    const digests: Record<string, string> = {};
    for (const table of tables)
      digests[table] = await queryValue(
        connection,
        `select count(*) || ' ' || coalesce(sum(hashtextextended(source::text, 0)), 0) from ${table} as source`,
      );
    return digests;
  });
