import { describe, expect, test } from "vitest";
import type { Connection } from "#core/database/database.ts";
import { createLog } from "#core/process/log.ts";
import { testDatabase } from "#testing/database.ts";
import { person, wallet } from "#testing/people.ts";
import { serving } from "#testing/serving.ts";
import { whenDone } from "#testing/when-done.ts";
import { nextBound, watchMirror } from "./watch-mirror.ts";

const HOUR_MS = 3_600_000;
const TOLERANCE_MS = 60_000;

/** A mirror whose publisher signed some time ago, and whose file expires in `expiresIn`. */
async function follow(database: Connection, expiresIn: string, signed = "1 minute"): Promise<void> {
  await database.query("delete from mirror_of");
  await database.query(
    `insert into mirror_of (url, basis, keys, created_at, latest_at, expires_at)
     values ('https://publisher.example/mirror/', 'A test', '{}', now(), now() - $2::interval, now() + $1::interval)`,
    [expiresIn, signed],
  );
}

async function watch(database: Connection) {
  const mirror = await watchMirror(database, createLog("silent", { write: () => {} }));
  whenDone(mirror.close);
  return mirror;
}

describe("until when a mirror shows people", async () => {
  const { database } = await testDatabase();

  test.each([
    ["as the publisher says", "2 hours", "1 minute", 2 * HOUR_MS],
    ["six hours at most after the signature", "30 days", "4 hours", 2 * HOUR_MS],
    ["not after that", "-1 seconds", "1 minute", 0],
    ["not if the signature is of the future", "6 hours", "-11 minutes", 0],
  ])("%s", async (_, expiresIn, signed, ms) => {
    await follow(database, expiresIn, signed);
    const { shownUntil, publisher } = await watch(database);
    expect(shownUntil() - Date.now()).toBeLessThanOrEqual(ms);
    expect(shownUntil() - Date.now()).toBeGreaterThan(ms - TOLERANCE_MS);
    expect(publisher()).toBe("https://publisher.example");
  });

  test.each([
    ["a server that follows nobody", "delete from mirror_of"],
    ["a server that took over", "update mirror_of set taken_over_at = now()"],
  ])("%s always does", async (_, statement) => {
    await follow(database, "-1 days");
    await database.query(statement);
    const { shownUntil, publisher } = await watch(database);
    expect([shownUntil(), publisher()]).toEqual([Number.POSITIVE_INFINITY, null]);
  });
});

test("a server that cannot read whether it is a mirror shows nobody, and says why", async () => {
  const failure = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  const { shownUntil, unread } = await watch({ query: () => Promise.reject(failure) } as unknown as Connection);
  expect(shownUntil()).toBe(Number.NEGATIVE_INFINITY);
  await expect(unread()?.()).rejects.toBe(failure);
});

test("a request that arrives before that looks again", async () => {
  const { database } = await testDatabase();
  await follow(database, "2 hours");
  const failure = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  let isDown = true;
  const query = (text: string) => (isDown ? Promise.reject(failure) : database.query(text));
  const { shownUntil, unread } = await watch({ query } as unknown as Connection);
  isDown = false;
  await unread()?.();
  expect(unread()).toBeNull();
  expect(shownUntil()).toBeGreaterThan(Date.now());
});

test("a clock that goes back does not postpone the end, but a new signature does", () => {
  const state = (fresh_seconds: number, minute: number) => ({
    ...{ url: "https://p.example/", fresh_seconds, age_seconds: 1, held_people: 0 },
    latest_at: new Date(Date.UTC(2026, 0, 1, 0, minute)),
  });
  const first = nextBound(null, state(60, 0), 1_000);
  expect(first.deadline).toBe(61_000);
  expect(nextBound(first, state(3_600, 0), 6_000).deadline).toBe(61_000);
  expect(nextBound(first, state(30, 0), 6_000).deadline).toBe(36_000);
  expect(nextBound(first, state(3_600, 5), 6_000).deadline).toBe(3_606_000);
});

describe("a mirror that serves", () => {
  const PEOPLE = [1, 2].map((id) => person(id, { main_wallet: wallet(id), score: id }));
  const ABOUT_PEOPLE = [
    ...["/api/v1/passports", "/api/v1/passports/1", "/api/v1/passports/3", `/api/v1/passports/${wallet(1)}`],
    ...[
      "/api/v1/passport_credentials?passport_id=1",
      "/",
      "/passports/1",
      "/leaderboard",
      "/search?q=person",
      "/compare?ids=1+2",
    ],
  ];

  test("for a minute more lets nobody store a response for longer", async () => {
    const into = await testDatabase();
    await follow(into.database, "60 seconds");
    const { address } = await serving(PEOPLE, { into, environment: { CACHE_MAX_AGE: "1h" } });
    for (const path of ABOUT_PEOPLE) {
      const { status, headers } = await fetch(address + path, { redirect: "manual" });
      expect(status, path).not.toBe(503);
      const caching = headers.get("cache-control") ?? "";
      expect(caching, path).toMatch(/max-age=|no-store/);
      const seconds = [...caching.matchAll(/=(\d+)/g)].map(([, found]) => Number(found));
      expect(Math.max(0, ...seconds), `${path}: ${caching}`).toBeLessThanOrEqual(60);
    }
  });

  test("that is stale says 503 about people, and shows the other pages", async () => {
    const into = await testDatabase();
    await follow(into.database, "6 hours");
    const fresh = await serving(PEOPLE, { into });
    const etag = (await fetch(`${fresh.address}/api/v1/passports/1`)).headers.get("etag") as string;
    await follow(into.database, "-1 seconds");
    const { address } = await serving([], { into, environment: { HOLDER_REQUESTS: "on", HOLDER_KEY: "k".repeat(40) } });
    for (const path of ABOUT_PEOPLE) {
      const { status, headers } = await fetch(address + path, { headers: { "if-none-match": etag } });
      expect([status, headers.get("retry-after")], path).toEqual([503, "300"]);
      expect(headers.get("cache-control"), path).toContain("no-store");
    }
    const badge = await fetch(`${address}/badge/1.svg`);
    expect(await badge.text()).not.toContain("Person 1");
    for (const path of ["/about", "/docs", "/deprecation", "/openapi.json"]) {
      expect((await fetch(address + path)).status, path).toBe(200);
    }
    expect(await (await fetch(`${address}/holder`)).text()).toContain("This server is a mirror of");
  });
});
