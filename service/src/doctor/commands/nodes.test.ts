import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { HOLDER_KEY } from "#testing/holders.ts";
import { relayTo } from "#testing/relay.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";
import { serveDatabase } from "#testing/serving.ts";
import { whenDone } from "#testing/when-done.ts";

/** The settings of the servers of tests. */
const SHELL = { PUBLIC_URL: "https://v1.example", CACHE_MAX_AGE: "0s" };
const SUNSET = { V1_SUNSET_AT: "2999-06-28" };
const SILENT = "127.0.0.1:1";

const { name, database } = await testDatabase();
await refreshStanding(database);
const DATABASE_URL = urlOf(name, SERVE_ROLE);

/** Starts a node; returns what NODES names it. */
async function startNode(environment: Record<string, string> = {}, through = (url: string) => url) {
  const server = await serveDatabase(name, { environment, through });
  return { ...server, node: new URL(server.privateAddress).host };
}

/** Runs a command in a shell with other limits than the servers of tests, which have none. */
async function run(command: string, nodes: string, environment: Record<string, string> = {}) {
  const unlimited = { RATE_LIMIT_ANONYMOUS: "0", RATE_LIMIT_KEYS: "0" };
  const args = command.split(" ");
  return runCommand(args, { DATABASE_URL, ...SHELL, ...unlimited, NODES: nodes, ...environment });
}

const findCheck = async (check: string, nodes: string, environment: Record<string, string> = {}) =>
  JSON.parse((await run("doctor --json", nodes, environment)).stdout).checks.find(
    (found: { name: string }) => found.name === check,
  );

describe("nodes with different settings", async () => {
  const first = await startNode({ ...SUNSET, HOLDER_KEY });
  const second = await startNode({ AUTH_MODE: "required" });
  const both = `${first.node}, ${second.node}`;

  test("status, doctor and lifecycle show have the life cycle of the node, not of the shell", async () => {
    const { code, stdout } = await run("status", first.node);
    expect(stdout).toMatch(new RegExp(`^Nodes +${first.node} is ready$`, "m"));
    expect(stdout).toMatch(/^V1 +announced: it responds, and its sunset is set; from 2999-06-28T00:00:00Z on/m);
    expect(stdout).toContain(`V1_SUNSET_AT is 2999-06-28T00:00:00Z (${first.node}), not set (this shell)`);
    expect(code).toBe(0);
    expect(await findCheck("life cycle", first.node)).toMatchObject({
      finding: expect.stringContaining("announced: it responds"),
    });
    const shown = await run("lifecycle show", first.node);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^sunset +2999-06-28T00:00:00Z$/m);
    expect(shown.stdout).toMatch(new RegExp(`^source +${first.node}$`, "m"));
    expect(shown.stdout).toMatch(/^differs +V1_SUNSET_AT is .*, not set \(this shell\)$/m);
    // The other way round: a rehearsed plan of the shell is not what callers see.
    expect((await run("lifecycle show", second.node, SUNSET)).stdout).toMatch(/^sunset +not set$/m);
  });

  test("settings that differ are named with who has which, and the shell alone is told to load them", async () => {
    const check = await findCheck("settings", both, SUNSET);
    expect(check).toMatchObject({ state: "warning", advice: expect.stringContaining("restart them") });
    expect(check.finding).toContain(
      `V1_SUNSET_AT is 2999-06-28T00:00:00Z (${first.node}, this shell), not set (${second.node})`,
    );
    expect(check.finding).toContain(`AUTH_MODE is optional (${first.node}, this shell), required (${second.node})`);
    expect(await findCheck("life cycle", both)).toMatchObject({
      finding: expect.stringContaining(
        `announced: its sunset is set; from 2999-06-28T00:00:00Z on, every request gets 410 (${first.node}; nodes differ)`,
      ),
    });
    const alone = await findCheck("settings", second.node);
    expect(alone.finding).toContain(`AUTH_MODE is required (${second.node}), optional (this shell)`);
    expect(alone.advice).toMatch(/^Run this command with the settings of the servers/);
  });

  test("a node tells no secret, nor a fingerprint of one", async () => {
    const text = await (await fetch(`${first.privateAddress}/settings`)).text();
    expect(JSON.parse(text)).toMatchObject({ secrets: { HOLDER_KEY: true, DATABASE_READ_URL: false } });
    expect(text).not.toContain(HOLDER_KEY);
    expect(text).not.toMatch(/[\da-f]{16}|postgres/);
  });

  test("a node that does not answer is a warning beside one that does, and --json has both", async () => {
    const { code, stdout } = await run("status --json", `${first.node},${SILENT}`);
    expect(code).toBe(0);
    const { nodes, complaints } = JSON.parse(stdout);
    expect(nodes).toMatchObject([
      { address: first.node, answers: true, ready: true, settings: { V1_SUNSET_AT: "2999-06-28T00:00:00Z" } },
      { address: SILENT, answers: false },
    ]);
    expect(complaints).toContainEqual(expect.objectContaining({ name: "nodes", state: "warning" }));
  });
});

test("if no node answers, that is a problem, and the rest is shown all the same", async () => {
  const stopped = await startNode(SUNSET);
  await stopped.stop(0);
  const { code, stdout } = await run("status", stopped.node);
  expect(code).toBe(3);
  expect(stdout).toMatch(/^V1 +active: no sunset is set \(settings of this shell; no node answers\)$/m);
  expect(stdout).toMatch(/^People +/m);
  expect(stdout).toMatch(/^problem +nodes +no node answers: .* \(nothing listens there\)\n +Start/m);
  expect(stdout).not.toContain("it responds");
  const doctor = await run("doctor", stopped.node);
  expect(doctor.code).toBe(3);
  expect(doctor.stdout).toMatch(/^problem +nodes /m);
  expect(doctor.stdout).toMatch(/^ok +schema /m);
  const shown = await run("lifecycle show", stopped.node);
  expect(shown.stdout).toMatch(/^source +settings of this shell; no node answers$/m);
});

test("a node that is not ready answers, and says why", async () => {
  const relay = await relayTo(urlOf(name));
  const { node } = await startNode(SUNSET, relay.through);
  relay.set("cut");
  const { code, stdout } = await run("status", node);
  expect(code).toBe(3);
  expect(stdout).toMatch(/^V1 +announced: its sunset is set; .* no node is ready\)$/m);
  expect(stdout).toMatch(/^problem +nodes +no node is ready: .* \(.+\)$/m);
});

/** `null`: closes each connection without a response. */
async function listen(body: string | null): Promise<string> {
  const server: Server = createServer((_request, response) =>
    body === null ? response.socket?.destroy() : response.end(body),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  whenDone(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ["<html>", /another program responds/],
  ["null", /another program responds/],
  [null, /it closes the connection, as another program would/],
  ['{"ready":true}', /another program responds/],
  ['{"ready":true,"version":"\\u001b[2J","settings":{"AUTH_MODE":["open"],"X":"y"}}', /is ready/],
])("another program at the port cannot break the command or the terminal: %s", async (body, expected) => {
  const { stdout } = await run("status", await listen(body));
  expect(stdout).toMatch(expected);
  expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
});

describe("proxies", async () => {
  const forward = async (address: string) =>
    void (await fetch(`${address}/api/v1/passports`, { headers: { "x-forwarded-for": "203.0.113.9" } }));

  test("one that is not trusted is named by its own address, not by what it forwards", async () => {
    const { node, address } = await startNode();
    expect(await findCheck("proxies", node)).toMatchObject({ state: "ok" });
    await forward(address);
    const check = await findCheck("proxies", node);
    expect(check).toMatchObject({ state: "warning", advice: expect.stringContaining("TRUSTED_PROXIES=127.0.0.1 ") });
    expect(JSON.stringify(check)).not.toContain("203.0.113");
  });

  test("one that is trusted is fine, and a network that is too wide is not", async () => {
    const { node, address } = await startNode({ TRUSTED_PROXIES: "127.0.0.1" });
    await forward(address);
    expect(await findCheck("proxies", node)).toMatchObject({ state: "ok" });
    // What the node has counts.
    const wide = await startNode({ TRUSTED_PROXIES: "10.0.0.0/8,192.168.0.0/16" });
    expect(await findCheck("proxies", wide.node)).toMatchObject({
      state: "warning",
      finding: expect.stringMatching(/^TRUSTED_PROXIES has 10\.0\.0\.0\/8: /),
    });
  });
});
