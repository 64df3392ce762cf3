import { describe, expect, test } from "vitest";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { issueKey } from "#keys/manage/issue-key.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand, startServing } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { relayTo } from "#testing/relay.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";

const REQUESTS = 10;

/** Sends requests on connections of their own, so that all processes of the node get some. */
async function countReady(address: string): Promise<number> {
  const send = async () => (await fetch(`${address}/health/ready`, { headers: { connection: "close" } })).ok;
  return (await Promise.all(Array.from({ length: REQUESTS }, send))).filter(Boolean).length;
}

describe("a server without its database", async () => {
  const { database, name } = await testDatabase();
  await savePeople(database, inventDemoPeople());
  await refreshStanding(database);
  const owner = { label: "test", contact: "test", expiresAt: null };
  const { token } = await issueKey(database, owner);

  test("starts, is live and not ready, and becomes ready with it", async () => {
    const relay = await relayTo(urlOf(name, SERVE_ROLE));
    relay.set("cut");
    const DATABASE_URL = relay.through(urlOf(name, SERVE_ROLE));
    const server = await startServing({ DATABASE_URL });
    const get = (path: string, headers: Record<string, string> = {}) => fetch(server.address + path, { headers });
    expect(server.output.stdout).toContain("not ready: waiting for the database");
    expect(server.output.stdout).toContain('"ready":false');
    expect(server.output.stdout).toMatch(/"advice":"[^"]*`DATABASE_URL`/);
    expect(server.output.stdout).not.toContain('"stack"');
    expect((await get("/health/live")).status).toBe(200);
    expect((await get("/health/ready")).status).toBe(503);
    const unavailable = await get("/api/v1/passports/1");
    expect(unavailable.status).toBe(503);
    expect(unavailable.headers.get("retry-after")).toBe("2");
    for (const key of [token, "a key of another server"]) {
      expect((await get("/api/v1/passports/1", { "X-API-KEY": key })).status).toBe(503);
    }
    const port = new URL(server.address).port;
    expect((await runCommand(["health", "--port", port])).code).toBe(1);

    relay.set("pass");
    await expect.poll(() => countReady(server.address)).toBe(REQUESTS);
    expect((await get("/api/v1/passports/1", { "X-API-KEY": token })).status).toBe(200);
    expect((await get("/api/v1/passports/1", { "X-API-KEY": "a key of another server" })).status).toBe(401);
    expect(await runCommand(["health", "--port", port])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ready: /),
    });
    relay.set("cut");
    await expect.poll(async () => (await get("/health/ready")).status).toBe(503);
    expect((await get("/health/live")).status).toBe(200);
  });

  test("is ready and responds with 410 after the sunset", async () => {
    const DATABASE_URL = "postgres://none@127.0.0.1:1/none";
    const { address } = await startServing({ DATABASE_URL, V1_SUNSET_AT: "2026-01-01" });
    expect((await fetch(`${address}/health/ready`)).status).toBe(200);
    expect((await fetch(`${address}/api/v1/passports/1`)).status).toBe(410);
    expect((await fetch(`${address}/docs`)).status).toBe(200);
  });
});

test("no command starts on a schema with a migration that it does not know, and a running server goes on", async () => {
  const { database, url, name } = await testDatabase();
  await savePeople(database, inventDemoPeople());
  await refreshStanding(database);
  const { address } = await startServing({ DATABASE_URL: urlOf(name, SERVE_ROLE) });
  await database.query("insert into schema_migration (name, run_on) values ('9999_future', now())");
  for (const command of [["serve"], ["work"], ["import", "-"], ["passport", "show", "1"], ["migrate"]]) {
    const { code, stderr } = await runCommand(command, { DATABASE_URL: url, PORT: "0", PRIVATE_PORT: "0" });
    expect(code).toBe(1);
    expect(stderr).toContain("The database has migrations that this program does not know: 9999_future.");
    expect(stderr).toContain("Start the version of Credence that was used last with this database");
  }
  expect((await fetch(`${address}/health/ready`)).status).toBe(200);
  expect((await fetch(`${address}/api/v1/passports/1`)).status).toBe(200);
});
