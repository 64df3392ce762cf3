import type { PassportList, SinglePassport } from "@credence/contract/answers.ts";
import type { Person } from "@credence/contract/person.ts";
import { describe, expect, test, vi } from "vitest";
import { changePerson } from "#operations/holders/change-person.ts";
import { refreshStanding } from "#operations/standing/refresh-standing.ts";
import { savePeople } from "#operations/write/save-people.ts";
import type { Database } from "#store/engine/database.ts";
import { person, wallet } from "#testing/people.ts";
import { relayTo } from "#testing/relay.ts";
import { urlOf } from "#testing/server.ts";
import { serving } from "#testing/serving.ts";

// An hour: what is seen before the test ends was forgotten because somebody told.
const CACHED = { CACHE_MAX_AGE: "60m" };

const scoreOf = async (url: string): Promise<number | null | string> => {
  const answer = await fetch(url);
  if (answer.status !== 200) return `${answer.status}`;
  return ((await answer.json()) as SinglePassport).passport.score;
};

/** Somebody with a wallet and a score of their own. */
const holder = (id: number, score = id): Person =>
  person(id, { score, main_wallet: wallet(id), verified_wallets: [wallet(id)] });

const isListening = async (database: Database, name: string): Promise<boolean> =>
  (
    await database.query(
      "select from pg_stat_activity where datname = $1 and query = 'listen credence_people' and state = 'idle'",
      [name],
    )
  ).rowCount === 1;

describe("answers that are kept", async () => {
  const served = await serving([holder(1), holder(2), holder(3)], { environment: CACHED });
  const { address, privateAddress, database, name } = served;
  const passport = (reference: number | string) => `${address}/api/v1/passports/${reference}`;
  const listed = async (query = ""): Promise<number> =>
    ((await (await fetch(`${address}/api/v1/passports?${query}`)).json()) as PassportList).pagination.total;
  const countHits = async (): Promise<number> => {
    const metrics = await (await fetch(`${privateAddress}/metrics`)).text();
    return Number(/credence_cache_requests_total\{result="hit"\} (\d+)/.exec(metrics)?.[1]);
  };
  await vi.waitUntil(() => isListening(database, name), { timeout: 90_000 });

  test("are the same bytes with the same headers, and asked for only once", async () => {
    const read = async () => {
      const answer = await fetch(passport(1));
      const { date, "x-request-id": id, ...headers } = Object.fromEntries(answer.headers);
      expect([date, id]).toEqual([expect.any(String), expect.any(String)]);
      return { headers, body: await answer.text() };
    };
    const first = await read();
    const hits = await countHits();
    expect(await read()).toEqual(first);
    expect(await countHits()).toBe(hits + 1);
  });

  test("junk in the query makes no other answer of it", async () => {
    await fetch(`${address}/api/v1/passport_credentials?passport_id=1`);
    const hits = await countHits();
    await fetch(`${address}/api/v1/passport_credentials?junk=1&passport_id=0001&more=2`);
    expect(await countHits()).toBe(hits + 1);
  });

  test("are forgotten when the person changes, under their id and their wallets", async () => {
    for (const reference of [1, wallet(1)]) expect(await scoreOf(passport(reference))).toBe(1);
    await savePeople(database, [holder(1, 777)]);
    for (const reference of [1, wallet(1)]) await expect.poll(() => scoreOf(passport(reference))).toBe(777);
  });

  test("are forgotten when somebody is hidden, and when they merge", async () => {
    expect(await scoreOf(passport(2))).toBe(2);
    await changePerson(database, { action: "hide", passportId: 2 });
    await expect.poll(() => scoreOf(passport(2))).toBe("404");
    expect(await scoreOf(passport(wallet(3)))).toBe(3);
    await changePerson(database, { action: "merge", passportId: 3, into: 1 });
    await expect.poll(() => scoreOf(passport(wallet(3)))).toBe(777);
    await changePerson(database, { action: "unhide", passportId: 2 });
    await expect.poll(() => scoreOf(passport(2))).toBe(2);
  });

  test("pages are forgotten when there is a new list", async () => {
    await refreshStanding(database);
    await expect.poll(() => listed()).toBe(2);
    expect(await listed("keyword=person%204")).toBe(0);
    await savePeople(database, [holder(4), holder(5)]);
    await refreshStanding(database);
    await expect.poll(() => listed()).toBe(4);
    expect(await listed("keyword=person%204")).toBe(1);
  });

  test("a change of thousands at once is told as one of everybody", async () => {
    expect(await scoreOf(passport(1))).toBe(777);
    await database.query(
      `insert into passport_document select n, '{}', '}', '', 0 from generate_series(100001, 120100) n`,
    );
    await database.query("update passport_document set etag = 'W/\"x\"' where passport_id = 1 or passport_id > 100000");
    await expect.poll(async () => (await fetch(passport(1))).headers.get("etag")).toBe('W/"x"');
  });
});

test("words that were missed are made up for when the connection is back", async () => {
  const relay = await relayTo(urlOf("postgres"));
  const { address, database, name, logs } = await serving([holder(1)], { environment: CACHED, through: relay.through });
  await expect.poll(() => isListening(database, name)).toBe(true);
  const url = `${address}/api/v1/passports/1`;
  expect(await scoreOf(url)).toBe(1);
  relay.set("cut");
  await expect.poll(() => logs.join("")).toContain("not told of changes");
  await savePeople(database, [holder(1, 888)]);
  // What is kept is served while the database is away.
  expect(await scoreOf(url)).toBe(1);
  relay.set("pass");
  await expect.poll(() => scoreOf(url)).toBe(888);
});
