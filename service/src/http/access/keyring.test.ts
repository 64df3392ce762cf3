import { randomInt } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { formatToken, hashToken, randomTokenParts } from "#identity/api-key.ts";
import { adoptKey, issueKey } from "#operations/access/issue-key.ts";
import { createLog } from "#process/log.ts";
import { updateKeyRevoked } from "#store/access/api-keys.ts";
import { testDatabase } from "#testing/database.ts";
import { whenDone } from "#testing/when-done.ts";
import { openKeyring } from "./keyring.ts";

// The clock of the keyring is moved by hand: what is refused when does not depend on how busy the machine is.
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

/** A keyring, and every question that it has asked the database. */
async function openCounted() {
  const questions: Promise<unknown>[] = [];
  const counting = new Proxy(database, {
    get(target, property) {
      if (property !== "query") return Reflect.get(target, property);
      return (...given: unknown[]) => {
        const question = (target.query as (...all: unknown[]) => Promise<unknown>)(...given);
        questions.push(question);
        return question;
      };
    },
  });
  const keyring = await openKeyring(counting, createLog("silent", { write: () => {} }));
  whenDone(keyring.close);
  questions.length = 0;
  /** Lets time pass, and whatever was asked in it be answered. */
  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms);
    await Promise.all(questions);
    await turn();
  };
  return { judge: keyring.judge, questions, pass };
}

test("100,000 junk keys are refused without a question, 10,000 well-formed ones with one a second at the most", async () => {
  const { judge, questions, pass } = await openCounted();
  for (let at = 0; at < 100_000; at++) expect(judge(`junk-${at}-${"x".repeat(at % 50)}`)).toBe("unknown");
  expect(questions).toHaveLength(0);
  for (let second = 0; second < 3; second++) {
    await pass(1_000);
    for (let at = 0; at < 3_400; at++) expect(await judge(wellFormed())).toBe("unknown");
    expect(questions).toHaveLength(second + 1);
  }
});

test("a new key is known at once; revoked, it is refused from the next refresh on", async () => {
  const { judge, pass } = await openCounted();
  const { token, keyId } = await issueKey(database, owner);
  await pass(1_000);
  expect(await judge(token)).toEqual({ keyId });
  await updateKeyRevoked(database, keyId);
  await pass(REFRESH_MS - 1_001);
  expect(await judge(token)).toEqual({ keyId });
  await pass(1);
  expect(await judge(token)).toMatchObject({ revokedId: expect.any(String) });
});

test("an adopted key is known from the next refresh on, whether its token or its hash was given", async () => {
  const { judge, pass } = await openCounted();
  const [byToken, byHash] = ["0123456789abcdef-old-1", "0123456789abcdef-old-2"];
  await adoptKey(database, { token: byToken }, owner);
  await adoptKey(database, { hash: hashToken(byHash) }, owner);
  for (const token of [byToken, byHash]) expect(await judge(token)).toBe("unknown");
  await pass(REFRESH_MS);
  for (const token of [byToken, byHash]) expect(await judge(token)).toEqual({ keyId: expect.any(String) });
});

test("a key expires by the clock alone", async () => {
  const { token, keyId } = await issueKey(database, { ...owner, expiresAt: new Date(Date.now() + HOUR_MS) });
  const { judge } = await openCounted();
  vi.setSystemTime(Date.now() + HOUR_MS - 1);
  expect(await judge(token)).toEqual({ keyId });
  vi.setSystemTime(Date.now() + 1);
  expect(await judge(token)).toMatchObject({ revokedId: expect.any(String) });
});

test("a key deleted by hand is gone within a minute, when all keys are read anew", async () => {
  const { token, keyId } = await issueKey(database, owner);
  const { judge, questions, pass } = await openCounted();
  await database.query("delete from api_key where key_id = $1", [keyId]);
  for (let refresh = 1; refresh < 12; refresh++) {
    await pass(REFRESH_MS);
    expect(await judge(token)).toEqual({ keyId });
  }
  await pass(REFRESH_MS);
  expect(questions).toHaveLength(12);
  expect(await judge(token)).toBe("unknown");
});
