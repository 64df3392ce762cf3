import { describe, expect, test } from "vitest";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { startCommand, startServing } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { openNotifySocket } from "#testing/notify-socket.ts";
import { relayTo } from "#testing/relay.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";

const STOPPING = "STOPPING=1 STATUS=Stopping.";

describe("reports to systemd", async () => {
  const { database, name, url } = await testDatabase();
  await refreshStanding(database);
  const DATABASE_URL = urlOf(name, SERVE_ROLE);

  test("ready once the database is reachable, stopping on SIGTERM", async () => {
    const socket = await openNotifySocket();
    const relay = await relayTo(DATABASE_URL);
    relay.set("cut");
    const environment = { DATABASE_URL: relay.through(DATABASE_URL), NOTIFY_SOCKET: socket.path, DRAIN_DELAY: "0s" };
    const server = await startServing(environment);
    await expect.poll(() => socket.messages).toEqual(["STATUS=Waiting for the database."]);
    expect((await fetch(`${server.privateAddress}/health`)).status).toBe(503);
    expect(socket.messages).toHaveLength(1);

    relay.set("pass");
    await expect.poll(() => socket.messages.slice(1)).toEqual([`READY=1 STATUS=Serving on ${server.address}.`]);
    expect((await fetch(`${server.address}/api/v1/passports`)).status).toBe(200);
    server.process.kill("SIGTERM");
    await expect.poll(() => socket.messages.slice(2)).toEqual([STOPPING]);
    expect((await server.ended).code).toBe(0);
  });

  test("ready at once if the database is reachable, or after the sunset without it", async () => {
    for (const environment of [
      { DATABASE_URL },
      { DATABASE_URL: "postgres://none@127.0.0.1:1/none", V1_SUNSET_AT: "2026-01-01" },
    ]) {
      const socket = await openNotifySocket();
      const server = await startServing({ ...environment, NOTIFY_SOCKET: socket.path });
      await expect.poll(() => socket.messages).toEqual([`READY=1 STATUS=Serving on ${server.address}.`]);
      server.process.kill("SIGINT");
      expect((await server.ended).code).toBe(0);
      expect(socket.messages.slice(1)).toEqual([STOPPING]);
    }
  });

  test("a worker is ready when it works", async () => {
    const socket = await openNotifySocket();
    const worker = startCommand(["work"], { DATABASE_URL: url, NOTIFY_SOCKET: socket.path });
    await expect.poll(() => socket.messages).toEqual(["READY=1 STATUS=Working."]);
    worker.process.kill("SIGTERM");
    expect((await worker.ended).code).toBe(0);
    expect(socket.messages.slice(1)).toEqual(["STOPPING=1 STATUS=Completing the current batch."]);
  });

  test.each([
    ["the program is missing", { PATH: "/nonexistent" }],
    ["the socket is missing", { NOTIFY_SOCKET: "/nonexistent" }],
  ])("a server runs with one warning if %s", async (_, environment) => {
    const server = await startServing({
      DATABASE_URL,
      DRAIN_DELAY: "0s",
      NOTIFY_SOCKET: "/run/systemd/notify",
      ...environment,
    });
    await expect.poll(() => server.output.stdout).toContain("cannot report to systemd");
    expect((await fetch(`${server.address}/health/ready`)).status).toBe(200);
    server.process.kill("SIGTERM");
    const { code, stdout } = await server.ended;
    expect(code).toBe(0);
    expect(stdout.match(/cannot report to systemd/g)).toHaveLength(1);
  });
});
