import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { inventDemoPeople } from "#invent/demo.ts";
import { refreshStanding } from "#operations/standing/refresh-standing.ts";
import { savePeople } from "#operations/write/save-people.ts";
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

  test("SIGTERM: readiness goes first; until the ports close, whoever asks is answered", async () => {
    const { address, process: server, ended } = await startServing({ ...environment, DRAIN_DELAY: "60m" });
    const agent = new Agent({ keepAlive: true });
    // One caller's headers have arrived in part when the signal does; its answer must come all the same.
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
    server.kill("SIGTERM");
    expect((await ended).code).toBe(130);
  });

  test("SIGTERM under load: every request that has arrived is answered, and whoever is connected is sent away", async () => {
    const { address, process: server, ended } = await startServing({ ...environment, DRAIN_DELAY: "1s" });
    const agent = new Agent({ keepAlive: true, maxSockets: 24 });
    const results: Sent[] = [];
    // Nobody heeds readiness: all of them ask on and on, until the port takes no more of them.
    const callers = Array.from({ length: 24 }, async (_, at) => {
      for (let round = 0; results.at(-1)?.error !== "ECONNREFUSED"; round++) {
        results.push(await send(address, `/api/v1/passports/${((at + round) % 200) + 1}`, agent));
      }
    });
    await expect.poll(() => results.length).toBeGreaterThan(500);
    server.kill("SIGTERM");
    await Promise.all(callers);
    // Whoever could still send a request got its answer; whoever could not was refused before sending one.
    const failed = results.filter((result) => result.status !== 200);
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.filter(({ error, headersSent }) => error !== "ECONNREFUSED" || headersSent)).toEqual([]);
    expect(results.some(({ status, closes }) => status === 200 && closes)).toBe(true);
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("a request that is being answered when the ports close gets its answer, and nothing lingers", async () => {
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
    // Long before the kept-alive connections would time out, or the test would.
    expect((await ended).code).toBe(0);
  });

  test("a second signal, of either kind, ends it at once", async () => {
    const { process: server, ended } = await startServing({ ...environment, DRAIN_DELAY: "1m" });
    server.kill("SIGTERM");
    server.kill("SIGINT");
    expect((await ended).code).toBe(130);
  });

  test.each(["1", "2"])(
    "--host, --port and --private-port override the variables, in %s processes",
    async (workers) => {
      const [port, privatePort] = await findFreePorts(2);
      const flags = ["--host", "127.0.0.2", "-p", `${port}`, "--private-port", `${privatePort}`, "--workers", workers];
      const variables = { HOST: "127.0.0.3", PORT: "1", PRIVATE_PORT: "1" };
      const { address, privateAddress } = await startServing({ ...environment, ...variables }, flags);
      expect({ address, privateAddress }).toEqual({
        address: `http://127.0.0.2:${port}`,
        privateAddress: `http://127.0.0.1:${privatePort}`,
      });
      expect((await send(address, "/api/v1/passports/1", new Agent())).status).toBe(200);
      expect((await fetch(`${privateAddress}/health`)).status).toBe(200);
      const { servers } = (await (await fetch(`${address}/openapi.json`)).json()) as { servers: { url: string }[] };
      expect(servers[0]?.url).toBe(address);
    },
  );

  test.each([
    [["--port", "http"], "Give a port from 0 to 65535."],
    [["-p", "65536"], "Give a port from 0 to 65535."],
    [["--private-port", ""], "Give a port from 0 to 65535."],
    [["--host", "nosuch.example"], "Give an address of this machine, 0.0.0.0 for all, or localhost."],
  ])("2: %j", async (flags, sentence) => {
    const { code, stderr } = await startCommand(["serve", ...flags], environment).ended;
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });

  test("the private port listens on PRIVATE_HOST, not on HOST, and a warning says if others can reach it", async () => {
    const closed = await startServing({ ...environment, HOST: "0.0.0.0" });
    expect(new URL(closed.privateAddress).hostname).toBe("127.0.0.1");
    const other = closed.privateAddress.replace("127.0.0.1", "127.0.0.2");
    await expect(fetch(`${other}/metrics`)).rejects.toThrow("fetch failed");
    expect((await fetch(`${closed.address.replace("127.0.0.1", "127.0.0.2")}/health/live`)).status).toBe(200);
    expect(closed.output.stdout).not.toContain("PRIVATE_HOST");
    for (const workers of ["1", "2"]) {
      const open = await startServing({ ...environment, PRIVATE_HOST: "0.0.0.0" }, ["--workers", workers]);
      await expect.poll(() => open.output.stdout).toMatch(/"level":"warn".*PRIVATE_HOST is not a loopback address/);
      open.process.kill("SIGINT");
      await open.ended;
    }
  });

  test("1: a port that is taken, with what to do", async () => {
    const { address } = await startServing(environment);
    const second = startCommand(["serve"], { ...environment, PORT: new URL(address).port, PRIVATE_PORT: "0" });
    const { code, stderr } = await second.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("choose other ports");
  });
});

describe("credence serve --workers", async () => {
  const { database, name } = await testDatabase();
  await savePeople(database, inventDemoPeople());
  await refreshStanding(database);
  const environment = { DATABASE_URL: urlOf(name, SERVE_ROLE), DRAIN_DELAY: "0s" };
  const ask = (address: string) => send(address, "/api/v1/passports/1", new Agent());

  test("processes share the port and one /metrics; one that dies is replaced; all of them stop", async () => {
    const {
      address,
      privateAddress,
      process: first,
      ended,
      output,
    } = await startServing(environment, ["--workers", "3"]);
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(address)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const metrics = await (await fetch(`${privateAddress}/metrics`)).text();
    expect(metrics).toMatch(/credence_http_requests_total\{route="\/api\/v1\/passports\/:id",status="200"\} 40\n/);
    expect(metrics).toMatch(/^credence_standing_people \d+$/m);
    expect((await fetch(`${privateAddress}/health`)).status).toBe(200);

    const [killed] = await listChildren(first.pid as number);
    process.kill(killed as number, "SIGKILL");
    await expect.poll(() => output.stdout).toContain("another takes its place");
    await expect.poll(async () => (await listChildren(first.pid as number)).length).toBe(3);
    expect((await ask(address)).status).toBe(200);

    first.kill("SIGTERM");
    expect((await ended).code).toBe(0);
    expect((await ask(address)).error).toBe("ECONNREFUSED");
  });

  test("when the first process is killed, the others are gone as well", async () => {
    const { address, process: first } = await startServing(environment, ["--workers", "2"]);
    first.kill("SIGKILL");
    await expect.poll(async () => (await ask(address)).error).toBe("ECONNREFUSED");
  });

  test("1: a port that is taken, whichever of the two, and no process is left", async () => {
    const { address, privateAddress } = await startServing(environment);
    const taken = [
      { PORT: new URL(address).port, PRIVATE_PORT: "0" },
      { PORT: "0", PRIVATE_PORT: new URL(privateAddress).port },
    ];
    for (const ports of taken) {
      const node = startCommand(["serve", "--workers", "2"], { ...environment, ...ports });
      const { code, stderr } = await node.ended;
      expect(code).toBe(1);
      expect(stderr).toContain("choose other ports");
    }
  });

  test("2: a number that makes no sense", async () => {
    const { code, stderr } = await startCommand(["serve", "--workers", "none"], environment).ended;
    expect(code).toBe(2);
    expect(stderr).toContain("Give a number from 1 to 256, or auto.");
  });
});

async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

async function listChildren(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return children.trim().split(" ").map(Number);
}
