import { randomInt } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { formatToken, hashToken, randomTokenParts } from "#core/identity/api-key.ts";
import { createLog } from "#core/process/log.ts";
import { updateKeyRevoked } from "#keys/manage/api-keys.ts";
import { adoptKey, issueKey } from "#keys/manage/issue-key.ts";
import { testDatabase } from "#testing/database.ts";
import { whenDone } from "#testing/when-done.ts";
import { openKeyring } from "./keyring.ts";

// Fake timers: the results must not depend on how busy the machine is.
const REFRESH_MS = 5_000;
const HOUR_MS = 3_600_000;

const { database } = await testDatabase();
const owner = { label: "Test", contact: "test@example.org", expiresAt: null };
const wellFormed = () => {
  const { id, secret } = randomTokenParts(randomInt);
  return formatToken(id, secret);
};

beforeEach(() => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["setInterval", "clearInterval", "performance", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A keyring, and the queries it has sent. */
async function openCounted() {
  const queries: Promise<unknown>[] = [];
  const counting = new Proxy(database, {
    get(target, property) {
      if (property !== "query") return Reflect.get(target, property);
      return (...parameters: unknown[]) => {
        const query = (target.query as (...all: unknown[]) => Promise<unknown>)(...parameters);
        queries.push(query);
        return query;
      };
    },
  });
  const keyring = await openKeyring(counting, createLog("silent", { write: () => {} }));
  whenDone(keyring.close);
  queries.length = 0;
  /** Advances the clock, and waits for the queries sent meanwhile. */
  const advance = async (ms: number) => {
    vi.advanceTimersByTime(ms);
    await Promise.all(queries);
    await turn();
  };
  return { ...keyring, queries, advance };
}

test("sends no query for malformed tokens, and at most one a second for well-formed ones", async () => {
  const { check, queries, advance } = await openCounted();
  for (let index = 0; index < 100_000; index++)
    expect(check(`junk-${index}-${"x".repeat(index % 50)}`)).toBe("unknown");
  expect(queries).toHaveLength(0);
  for (let second = 0; second < 3; second++) {
    await advance(1_000);
    for (let index = 0; index < 3_400; index++) expect(await check(wellFormed())).toBe("unknown");
    expect(queries).toHaveLength(second + 1);
  }
});

test("accepts a new key at once, and refuses a revoked key after the next refresh", async () => {
  const { check, advance } = await openCounted();
  const { token, keyId } = await issueKey(database, owner);
  await advance(1_000);
  expect(await check(token)).toMatchObject({ keyId });
  await updateKeyRevoked(database, keyId);
  await advance(REFRESH_MS - 1_001);
  expect(await check(token)).toMatchObject({ keyId });
  await advance(1);
  expect(await check(token)).toMatchObject({ revokedId: expect.any(String) });
});

test("notices cause one refresh, after the running one, and not more than four a second", async () => {
  vi.useRealTimers();
  vi.useFakeTimers({ now: Date.now(), toFake: ["setInterval", "setTimeout", "clearTimeout", "performance", "Date"] });
  const { check, refreshSoon, queries, advance } = await openCounted();
  const { token, keyId } = await issueKey(database, owner);
  for (let index = 0; index < 100; index += 1) refreshSoon();
  await advance(249);
  expect(queries).toHaveLength(0);
  await advance(1);
  expect(queries).toHaveLength(1);
  expect(await check(token)).toMatchObject({ keyId });
  await advance(1_000);
  refreshSoon();
  vi.advanceTimersByTime(0);
  await updateKeyRevoked(database, keyId);
  // A notice while the keyring may still be reading.
  refreshSoon();
  await advance(250);
  await advance(0);
  expect(await check(token)).toMatchObject({ revokedId: keyId });
  expect(queries).toHaveLength(3);
});

test("accepts a key adopted by token or by hash after the next refresh", async () => {
  const { check, advance } = await openCounted();
  const [byToken, byHash] = ["0123456789abcdef-old-1", "0123456789abcdef-old-2"];
  await adoptKey(database, { token: byToken }, owner);
  await adoptKey(database, { hash: hashToken(byHash) }, owner);
  for (const token of [byToken, byHash]) expect(await check(token)).toBe("unknown");
  await advance(REFRESH_MS);
  for (const token of [byToken, byHash]) expect(await check(token)).toMatchObject({ keyId: expect.any(String) });
});

test("while keys cannot be read, keeps those read last, and judges no unknown token", async () => {
  const { token, keyId } = await issueKey(database, owner);
  const { check, queries, advance } = await openCounted();
  await database.query("alter table api_key rename to api_key_away");
  await advance(REFRESH_MS).catch(() => {});
  expect(await check(token)).toMatchObject({ keyId });
  for (const unknown of ["0123456789abcdef-old-3", wellFormed()]) {
    await expect(Promise.resolve(check(unknown))).rejects.toThrow("The API keys cannot be read.");
  }
  await database.query("alter table api_key_away rename to api_key");
  queries.length = 0;
  await advance(REFRESH_MS);
  for (const unknown of ["0123456789abcdef-old-3", wellFormed()]) expect(await check(unknown)).toBe("unknown");
});

test("refuses an expired key without a refresh", async () => {
  const { token, keyId } = await issueKey(database, { ...owner, expiresAt: new Date(Date.now() + HOUR_MS) });
  const { check } = await openCounted();
  vi.setSystemTime(Date.now() + HOUR_MS - 1);
  expect(await check(token)).toMatchObject({ keyId });
  vi.setSystemTime(Date.now() + 1);
  expect(await check(token)).toMatchObject({ revokedId: expect.any(String) });
});

test("drops a deleted row when all keys are read again, within a minute", async () => {
  const { token, keyId } = await issueKey(database, owner);
  const { check, queries, advance } = await openCounted();
  await database.query("delete from api_key where key_id = $1", [keyId]);
  for (let refresh = 1; refresh < 12; refresh++) {
    await advance(REFRESH_MS);
    expect(await check(token)).toMatchObject({ keyId });
  }
  await advance(REFRESH_MS);
  expect(queries).toHaveLength(12);
  expect(await check(token)).toBe("unknown");
});
