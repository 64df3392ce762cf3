import { once } from "node:events";
import { Agent, request } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { startCommand, startServing } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";

type Sent = { status: number | null; closes: boolean; error: string | null; headersSent: boolean };

function send(address: string, path: string, agent: Agent): Promise<Sent> {
  const { promise, resolve } = Promise.withResolvers<Sent>();
  let headersSent = false;
  const sent = request(address + path, { agent }, (response) => {
    response.resume();
    response.on("end", () =>
      resolve({
        status: response.statusCode ?? null,
        closes: response.headers.connection === "close",
        error: null,
        headersSent,
      }),
    );
  });
  sent.on("socket", (socket) => {
    if (socket.connecting) socket.once("connect", () => (headersSent = true));
    else headersSent = true;
  });
  sent.on("error", (error: NodeJS.ErrnoException) =>
    resolve({ status: null, closes: true, error: error.code ?? "", headersSent }),
  );
  sent.end();
  return promise;
}

describe("credence serve", async () => {
  const { database, name } = await testDatabase();
  await savePeople(database, inventDemoPeople());
  await refreshStanding(database);
  const environment = { DATABASE_URL: urlOf(name, SERVE_ROLE) };

  test("logs where it listens, the state of V1, and variables that look like settings", async () => {
    const { output, address } = await startServing({
      ...{ ...environment, HOST: "0.0.0.0", AUTHMODE: "a secret", V1_SUNSET_AT: "2026-01-01" },
    });
    await expect.poll(() => output.stdout).toContain("every V1 request gets 410");
    expect(output.stdout).toContain(`"listensOn":"0.0.0.0:${new URL(address).port}"`);
    expect(output.stdout).toContain("AUTHMODE is not a setting, and has no effect. The nearest is AUTH_MODE.");
    expect(output.stdout).not.toContain("a secret");
  });

  test("a stop writes the usage of all requests", async () => {
    await database.query("truncate usage_count, usage_mark");
    const { address, process: server, ended } = await startServing({ ...environment, DRAIN_DELAY: "0s" });
    for (let index = 0; index < 20; index += 1)
      await fetch(`${address}/api/v1/passports/1`, { headers: { connection: "close" } });
    server.kill("SIGTERM");
    expect((await ended).code).toBe(0);
    const { rows } = await database.query("select client, status, requests from usage_count");
    expect(rows).toEqual([{ client: "anonymous", status: "2xx", requests: 20 }]);
    const marks = await database.query("select requests from usage_mark where kind = 'user agent'");
    expect(marks.rows).toEqual([{ requests: 20 }]);
  });

  test("SIGTERM: readiness fails first; requests are answered until the ports close; a second signal ends it at once", async () => {
    const { address, process: server, ended } = await startServing({ ...environment, DRAIN_DELAY: "60m" });
    const agent = new Agent({ keepAlive: true });
    // A request whose headers have arrived in part before the signal is answered as well.
    const { hostname, port } = new URL(address);
    const slow = connect(Number(port), hostname);
    let slowAnswer = "";
    slow.on("data", (chunk) => (slowAnswer += chunk));
    slow.write("GET /api/v1/passports/1 HTTP/1.1\r\nHost: x\r\n");

    server.kill("SIGTERM");
    await expect.poll(async () => (await fetch(`${address}/health/ready`)).status).toBe(503);
    slow.write("\r\n");
    await expect.poll(() => slowAnswer).toContain("200 OK");
    expect(await send(address, "/api/v1/passports/1", agent)).toMatchObject({ status: 200 });
    server.kill("SIGINT");
    expect((await ended).code).toBe(130);
  });

  test("SIGTERM under load: every request that has arrived is answered, and connections are closed", async () => {
    const { address, process: server, ended } = await startServing({ ...environment, DRAIN_DELAY: "1s" });
    const agent = new Agent({ keepAlive: true, maxSockets: 24 });
    const results: Sent[] = [];
    // The clients ignore readiness: they send requests until the port refuses connections.
    const clients = Array.from({ length: 24 }, async (_, index) => {
      for (let round = 0; results.at(-1)?.error !== "ECONNREFUSED"; round++) {
        results.push(await send(address, `/api/v1/passports/${((index + round) % 200) + 1}`, agent));
      }
    });
    await expect.poll(() => results.length).toBeGreaterThan(500);
    server.kill("SIGTERM");
    await Promise.all(clients);
    // A request that was sent got a response; all others were refused before they were sent.
    const failed = results.filter((result) => result.status !== 200);
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.filter(({ error, headersSent }) => error !== "ECONNREFUSED" || headersSent)).toEqual([]);
    expect(results.some(({ status, closes }) => status === 200 && closes)).toBe(true);
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("a request in progress when the ports close is answered, and the process exits", async () => {
    const { address, process: server, ended } = await startServing({ ...environment, DRAIN_DELAY: "0s" });
    const blocker = await database.connect();
    await blocker.query("begin");
    await blocker.query("lock table passport_document");
    const agent = new Agent({ keepAlive: true });
    const waiting = Array.from({ length: 5 }, () => send(address, "/api/v1/passports/1", agent));
    await expect
      .poll(
        async () =>
          (await database.query("select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'", [name]))
            .rowCount,
      )
      .toBeGreaterThan(0);
    // The response to a later request shows that the earlier ones have been read.
    await send(address, "/health/live", agent);
    server.kill("SIGTERM");
    await expect.poll(() => send(address, "/health/live", new Agent())).toMatchObject({ error: "ECONNREFUSED" });
    await blocker.query("rollback");
    blocker.release();
    for (const result of await Promise.all(waiting)) expect(result.status).toBe(200);
    // It exits long before the keep-alive connections would time out.
    expect((await ended).code).toBe(0);
  });

  test("options override the variables, and a private port that others reach is logged", async () => {
    const [port, privatePort] = await findFreePorts(2);
    const flags = ["--host", "127.0.0.2", "-p", `${port}`, "--private-port", `${privatePort}`];
    const variables = { HOST: "127.0.0.3", PORT: "1", PRIVATE_PORT: "1", PRIVATE_HOST: "0.0.0.0" };
    const { address, privateAddress, output } = await startServing({ ...environment, ...variables }, flags);
    await expect.poll(() => output.stdout).toMatch(/"level":"warn".*PRIVATE_HOST is not a loopback address/);
    expect({ address, privateAddress }).toEqual({
      address: `http://127.0.0.2:${port}`,
      privateAddress: `http://127.0.0.1:${privatePort}`,
    });
    expect((await send(address, "/api/v1/passports/1", new Agent())).status).toBe(200);
    expect((await fetch(`${privateAddress}/health`)).status).toBe(200);
    const { servers } = (await (await fetch(`${address}/openapi.json`)).json()) as { servers: { url: string }[] };
    expect(servers[0]?.url).toBe(address);
  });

  test("1: the public or the private port is in use, with advice", async () => {
    const { address, privateAddress } = await startServing(environment);
    const publicPort = { PORT: new URL(address).port, PRIVATE_PORT: "0" };
    const privatePort = { PORT: "0", PRIVATE_PORT: new URL(privateAddress).port };
    for (const ports of [publicPort, privatePort]) {
      const { code, stderr } = await startCommand(["serve"], { ...environment, ...ports }).ended;
      expect(code).toBe(1);
      expect(stderr).toContain("choose other ports");
    }
  });

  test("a port that others reach without a trusted proxy is logged", async () => {
    const warning = "HOST is not a loopback address, and TRUSTED_PROXIES is empty";
    const open = await startServing({ ...environment, HOST: "0.0.0.0" });
    await expect.poll(() => open.output.stdout).toContain(warning);
    const proxied = await startServing({ ...environment, HOST: "0.0.0.0", TRUSTED_PROXIES: "10.0.0.9" });
    await expect.poll(() => proxied.output.stdout).toContain('"msg":"serving"');
    expect(proxied.output.stdout).not.toContain(warning);
  });

  test("by default, only this machine reaches the private port", async () => {
    const closed = await startServing({ ...environment, HOST: "0.0.0.0" });
    expect(new URL(closed.privateAddress).hostname).toBe("127.0.0.1");
    const other = closed.privateAddress.replace("127.0.0.1", "127.0.0.2");
    await expect(fetch(`${other}/metrics`)).rejects.toThrow("fetch failed");
    expect((await fetch(`${closed.address.replace("127.0.0.1", "127.0.0.2")}/health/live`)).status).toBe(200);
    expect(closed.output.stdout).not.toContain("PRIVATE_HOST");
  });
});

async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
