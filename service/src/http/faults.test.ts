import { afterEach, describe, expect, test } from "vitest";
import { issueKey } from "#operations/access/issue-key.ts";
import { testDatabase } from "#testing/database.ts";
import { person } from "#testing/people.ts";
import { relayTo } from "#testing/relay.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";
import { serveDatabase, serving } from "#testing/serving.ts";
import { expectError } from "#testing/v1-shape.ts";

const PATHS = [
  "/api/v1/passports",
  "/api/v1/passports?keyword=person",
  "/api/v1/passports/1",
  "/api/v1/passport_credentials?passport_id=1",
];

const read = async (url: string) => {
  const answer = await fetch(url);
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
};

describe("when the database cannot be asked", async () => {
  const relay = await relayTo(urlOf("postgres"));
  const { address, privateAddress, database } = await serving([person(1)], {
    through: relay.through,
    statementTimeoutMs: 1_000,
  });
  const owner = { label: "Test", contact: "test@example.org", expiresAt: null };
  afterEach(async () => {
    relay.set("pass");
    await expect.poll(async () => (await fetch(`${address}/health/ready`)).status).toBe(200);
  });

  test.each(["cut", "silence"] as const)("503: the connection is %s; it recovers by itself", async (state) => {
    await expect.poll(async () => (await read(address + PATHS[2])).status).toBe(200);
    relay.set(state);
    for (const path of PATHS) {
      const answer = await read(address + path);
      expectError(answer, "unavailable");
      expect(answer.headers.get("retry-after")).toBe("2");
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
    relay.set("pass");
    await expect.poll(async () => (await read(address + PATHS[2])).status).toBe(200);
  });

  test("readiness says no, liveness yes, and the private port says why", async () => {
    relay.set("cut");
    // What was read a moment ago stands for a second.
    await expect.poll(async () => (await fetch(`${address}/health/ready`)).status).toBe(503);
    const ready = await fetch(`${address}/health/ready`);
    expect(await ready.json()).toMatchObject({ ready: false, data_age_seconds: null });
    expect((await fetch(`${address}/health/live`)).status).toBe(200);
    const health = await fetch(`${privateAddress}/health`);
    expect(health.status).toBe(503);
    expect(await health.json()).toMatchObject({ ready: false, standing: { error: expect.any(String) } });
    const metrics = await fetch(`${privateAddress}/metrics`);
    expect(metrics.status).toBe(200);
  });

  test("503: a key of our form that this node has not met; 200: one that it knows", async () => {
    const known = await issueKey(database, owner);
    const ask = (key: string) => fetch(address + PATHS[2], { headers: { "X-API-KEY": key } });
    await expect.poll(async () => (await ask(known.token)).status).toBe(200);
    relay.set("cut");
    const { token } = await issueKey(database, owner);
    await expect.poll(async () => (await ask(token)).status).toBe(503);
    // The known one passes, and meets the database's absence like everybody else.
    expect(
      (await fetch(`${address}/api/v1/passport_credentials`, { headers: { "X-API-KEY": known.token } })).status,
    ).toBe(200);
  });

  test("what needs no database goes on", async () => {
    relay.set("cut");
    expect((await read(`${address}/api/v1/passports/nobody`)).status).toBe(404);
    expect((await read(`${address}/api/v1/passport_credentials`)).status).toBe(200);
    expect((await read(`${address}/openapi.json`)).status).toBe(200);
  });
});

describe("when a statement fails", async () => {
  const into = await testDatabase();
  const { address, logs } = await serving([person(1)], { into });
  const impatient = await serveDatabase(into.name, { statementTimeoutMs: 200 });

  test("500: in our shape, without a word of the cause, which is in the log", async () => {
    await into.database.query(`revoke select on passport_document, standing_2, credential_document from ${SERVE_ROLE}`);
    for (const path of PATHS) expectError(await read(address + path), "internal");
    expect(logs.join("")).toContain("permission denied");
    await into.database.query(`grant select on passport_document, standing_2, credential_document to ${SERVE_ROLE}`);
    expect((await read(address + PATHS[2])).status).toBe(200);
  });

  test("503: a statement takes too long", async () => {
    const blocker = await into.database.connect();
    await blocker.query("begin");
    await blocker.query("lock table passport_document, credential_document, standing_2");
    try {
      for (const path of PATHS) expectError(await read(impatient.address + path), "unavailable");
    } finally {
      await blocker.query("rollback");
      blocker.release();
    }
    await expect.poll(async () => (await read(impatient.address + PATHS[2])).status).toBe(200);
  });
});
