import type { PassportList, SinglePassport } from "@credence/contract/answers.ts";
import type { Person } from "@credence/contract/person.ts";
import { describe, expect, test, vi } from "vitest";
import type { Database } from "#core/database/database.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { hide, show } from "#testing/decide.ts";
import { person, wallet } from "#testing/people.ts";
import { relayTo } from "#testing/relay.ts";
import { urlOf } from "#testing/server.ts";
import { serving } from "#testing/serving.ts";

// No entry expires during the tests: only a change notice can invalidate it.
const CACHED = { CACHE_MAX_AGE: "60m" };

const scoreOf = async (url: string): Promise<number | null | string> => {
  const response = await fetch(url);
  if (response.status !== 200) return `${response.status}`;
  return ((await response.json()) as SinglePassport).passport.score;
};

/** A person with a unique wallet and score. */
const holder = (id: number, score = id): Person =>
  person(id, { score, main_wallet: wallet(id), verified_wallets: [wallet(id)] });

const isListening = async (database: Database, name: string): Promise<boolean> =>
  (
    await database.query(
      "select from pg_stat_activity where datname = $1 and query = 'listen credence_people' and state = 'idle'",
      [name],
    )
  ).rowCount === 1;

describe("cached answers", async () => {
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

  test("have the same bytes and headers as uncached ones", async () => {
    const read = async () => {
      const response = await fetch(passport(1));
      const { date, "x-request-id": id, ...headers } = Object.fromEntries(response.headers);
      expect([date, id]).toEqual([expect.any(String), expect.any(String)]);
      return { headers, body: await response.text() };
    };
    const first = await read();
    const hits = await countHits();
    expect(await read()).toEqual(first);
    expect(await countHits()).toBe(hits + 1);
  });

  test("are shared by requests that differ in unknown parameters only", async () => {
    await fetch(`${address}/api/v1/passport_credentials?passport_id=1`);
    const hits = await countHits();
    await fetch(`${address}/api/v1/passport_credentials?junk=1&passport_id=0001&more=2`);
    expect(await countHits()).toBe(hits + 1);
  });

  test("are invalidated under the id and the wallets when the person changes", async () => {
    for (const reference of [1, wallet(1)]) expect(await scoreOf(passport(reference))).toBe(1);
    await savePeople(database, [holder(1, 777)]);
    for (const reference of [1, wallet(1)]) await expect.poll(() => scoreOf(passport(reference))).toBe(777);
  });

  test("are invalidated when a person is hidden, merged or unhidden", async () => {
    expect(await scoreOf(passport(2))).toBe(2);
    await hide(database, [2]);
    await expect.poll(() => scoreOf(passport(2))).toBe("404");
    expect(await scoreOf(passport(wallet(3)))).toBe(3);
    const merged = holder(3);
    const lists = { verified_wallets: [...holder(1).passport.verified_wallets, wallet(3)] };
    const unmerged = { ...holder(1, 777), passport: { ...holder(1, 777).passport, ...lists } };
    await savePeople(database, [{ ...merged, passport: { ...merged.passport, merged: true } }, unmerged]);
    await expect.poll(() => scoreOf(passport(wallet(3)))).toBe(777);
    await show(database, [2]);
    await expect.poll(() => scoreOf(passport(2))).toBe(2);
  });

  test("are invalidated, as pages of the list, when the standing is refreshed", async () => {
    await refreshStanding(database);
    await expect.poll(() => listed()).toBe(2);
    expect(await listed("keyword=person%204")).toBe(0);
    await savePeople(database, [holder(4), holder(5)]);
    await refreshStanding(database);
    await expect.poll(() => listed()).toBe(4);
    expect(await listed("keyword=person%204")).toBe(1);
  });

  test("are all invalidated when thousands of people change at once", async () => {
    expect(await scoreOf(passport(1))).toBe(777);
    await database.query(
      `insert into passport_document select n, '{}', '}', '', 0 from generate_series(100001, 120100) n`,
    );
    await database.query("update passport_document set etag = 'W/\"x\"' where passport_id = 1 or passport_id > 100000");
    await expect.poll(async () => (await fetch(passport(1))).headers.get("etag")).toBe('W/"x"');
  });
});

test("invalidates all answers after reconnecting, as notices may be lost", async () => {
  const relay = await relayTo(urlOf("postgres"));
  const { address, database, name, logs } = await serving([holder(1)], { environment: CACHED, through: relay.through });
  await expect.poll(() => isListening(database, name)).toBe(true);
  const url = `${address}/api/v1/passports/1`;
  expect(await scoreOf(url)).toBe(1);
  relay.set("cut");
  await expect.poll(() => logs.join("")).toContain("no change notices from the primary");
  await savePeople(database, [holder(1, 888)]);
  // Cached answers are served while the database is unreachable.
  expect(await scoreOf(url)).toBe(1);
  relay.set("pass");
  await expect.poll(() => scoreOf(url)).toBe(888);
});

test("a person who is hidden while the connection for notices is half open is gone when that is noticed", async () => {
  const relay = await relayTo(urlOf("postgres"));
  const { address, database, name, logs } = await serving([holder(1)], {
    ...{ environment: CACHED, through: relay.through },
  });
  const passport = `${address}/api/v1/passports/1`;
  await expect.poll(() => isListening(database, name)).toBe(true);
  expect(await scoreOf(passport)).toBe(1);
  relay.silenceListeners();
  await hide(database, [1]);
  // Without the heartbeat, the cached answer would be sent for an hour.
  await expect.poll(() => scoreOf(passport)).toBe("404");
  expect(logs.join("")).toContain("does not respond");
  await expect.poll(() => logs.join("")).toContain("change notices arrive again");
});
