import { afterEach, describe, expect, test } from "vitest";
import { issueKey } from "#keys/manage/issue-key.ts";
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
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, body: await response.text() };
};

describe("when the database is unreachable", async () => {
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

  test.each(["cut", "silence"] as const)("503: relay set to %s; recovers without a restart", async (state) => {
    await expect.poll(async () => (await read(address + PATHS[2])).status).toBe(200);
    relay.set(state);
    for (const path of PATHS) {
      const response = await read(address + path);
      expectError(response, "unavailable");
      expect(response.headers.get("retry-after")).toBe("2");
      expect(response.headers.get("cache-control")).toBe("no-store");
    }
    relay.set("pass");
    await expect.poll(async () => (await read(address + PATHS[2])).status).toBe(200);
  });

  test("readiness fails, liveness succeeds, and the private port reports the error", async () => {
    relay.set("cut");
    // The health state is cached for a second.
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

  test("503: a well-formed key that is not cached; 200: a cached key", async () => {
    const cached = await issueKey(database, owner);
    const loadWithKey = (key: string) => fetch(address + PATHS[2], { headers: { "X-API-KEY": key } });
    await expect.poll(async () => (await loadWithKey(cached.token)).status).toBe(200);
    relay.set("cut");
    const { token } = await issueKey(database, owner);
    await expect.poll(async () => (await loadWithKey(token)).status).toBe(503);
    // The cached key is accepted. This request needs no database.
    expect(
      (await fetch(`${address}/api/v1/passport_credentials`, { headers: { "X-API-KEY": cached.token } })).status,
    ).toBe(200);
  });

  test("requests that need no database still succeed", async () => {
    relay.set("cut");
    expect((await read(`${address}/api/v1/passports/0`)).status).toBe(404);
    expect((await read(`${address}/api/v1/passport_credentials`)).status).toBe(200);
    expect((await read(`${address}/openapi.json`)).status).toBe(200);
  });
});

describe("when a statement fails", async () => {
  const into = await testDatabase();
  const { address, logs } = await serving([person(1)], { into });
  const shortTimeout = await serveDatabase(into.name, { statementTimeoutMs: 200 });

  test("500: a V1 error body without the cause, which is logged", async () => {
    const rename = (from: string, to: string) =>
      into.database.query(
        ["passport_document", "standing_2", "credential_document"]
          .map((table) => `alter table ${table}${from} rename to ${table}${to}`)
          .join("; "),
      );
    await rename("", "_x");
    for (const path of PATHS) expectError(await read(address + path), "internal");
    expect(logs.join("")).toContain("does not exist");
    await rename("_x", "");
    expect((await read(address + PATHS[2])).status).toBe(200);
  });

  test("503: a right that the role lacks, whose features only are affected; the node stays ready", async () => {
    const tables = "standing_epoch, standing_2, credential_document";
    await into.database.query(
      `revoke select on ${tables} from ${SERVE_ROLE}; revoke select (hash) on api_key from ${SERVE_ROLE}`,
    );
    const other = await serveDatabase(into.name);
    for (const path of [...PATHS.slice(0, 2), PATHS[3]]) expectError(await read(other.address + path), "unavailable");
    expect(other.logs.join("")).toContain("permission denied");
    expect((await read(other.address + PATHS[2])).status).toBe(200);
    const withKey = await fetch(other.address + PATHS[2], { headers: { "X-API-KEY": `crd_${"a".repeat(48)}` } });
    expect(withKey.status).toBe(503);
    const ready = await fetch(`${other.address}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ ready: true, data_age_seconds: null });
    await into.database.query(
      `grant select on ${tables} to ${SERVE_ROLE}; grant select (hash) on api_key to ${SERVE_ROLE}`,
    );
    await expect.poll(async () => (await read(other.address + PATHS[0])).status).toBe(200);
  });

  test("503: a statement timeout, or no response before the deadline", async () => {
    const blocker = await into.database.connect();
    await blocker.query("begin");
    await blocker.query("lock table passport_document, credential_document, standing_2");
    try {
      for (const path of PATHS) expectError(await read(shortTimeout.address + path), "unavailable");
      // The statement timeout of this server is longer than any test.
      const late = await Promise.all(PATHS.map((path) => read(address + path)));
      for (const response of late) expectError(response, "unavailable");
      expect(logs.join("")).toContain("was not ready within 3500 ms");
    } finally {
      await blocker.query("rollback");
      blocker.release();
    }
    await expect.poll(async () => (await read(shortTimeout.address + PATHS[2])).status).toBe(200);
  });
});
