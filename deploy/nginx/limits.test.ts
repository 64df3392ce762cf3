import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { afterAll, describe, expect, test } from "vitest";
import { VARIABLES } from "../../service/src/core/config/variables.ts";
import { issueKey } from "../../service/src/keys/manage/issue-key.ts";
import { testFolder } from "../../service/testing/folder.ts";
import { createIpv6Network } from "../../service/testing/ipv6-network.ts";
import { person } from "../../service/testing/people.ts";
import { startProxy } from "../../service/testing/proxy.ts";
import { serving } from "../../service/testing/serving.ts";
import { whenDone } from "../../service/testing/when-done.ts";

/** More than the connections that nginx opens at once. */
const BACKLOG = 2_048;
/** Far above what is allowed at once: on a slow machine, more of it is allowed again meanwhile. */
const MANY = 3_000;
/** Answered promptly, and how many wait at a time. */
const [PROMPT, WAITING] = [250, 250];
/** How many requests may pass in a time: those that are allowed at once, and 100 a second. */
const mostPassed = (durationMs: number): number => PROMPT + WAITING + durationMs / 10 + 1;
/** What nginx allows on a connection at a time. */
const STREAMS = 100;

describe("requests without a key", async () => {
  const node = await serving([person(1)], { environment: { TRUSTED_PROXIES: "127.0.0.1", AUTH_MODE: "open" } });
  const proxy = await startProxy(testFolder(), [node.address]);
  whenDone(proxy.stop);
  const path = "/api/v1/passports/1";
  /** 32 at a time. */
  const sendSome = async (
    count: number,
    target: string,
    options: { localAddress: string; method?: string; key?: string },
  ) => {
    const { key, ...rest } = options;
    const headers = key === undefined ? {} : { "x-api-key": key };
    const responses = await Promise.all(Array.from({ length: count }, () => proxy.send(target, { ...rest, headers })));
    return Object.groupBy(responses, ({ status }) => String(status));
  };
  /** All at a time, as streams of HTTP/2. */
  const sendAtOnce = async (localAddress: string, headers: Record<string, string> = {}, { port } = proxy) => {
    const sessions = Array.from({ length: MANY / STREAMS }, () => {
      const options = {
        host: "127.0.0.1",
        port,
        localAddress,
        ALPNProtocols: ["h2"],
        rejectUnauthorized: false,
      };
      return connectHttp2("https://api.example.org", { createConnection: () => connectTls(options) });
    });
    const responses = await Promise.all(
      Array.from({ length: MANY }, async (_, index) => {
        const session = sessions[index % sessions.length] as ClientHttp2Session;
        const stream = session.request({ ":path": path, ...headers });
        const [[answered], body] = await Promise.all([once(stream, "response"), text(stream)]);
        return { headers: answered as Record<string, string | number>, body };
      }),
    );
    for (const session of sessions) session.close();
    return Object.groupBy(responses, ({ headers: { ":status": status } }) => String(status));
  };

  test("a flood of what nginx has copies of gets 429 in the form of V1; other clients do not notice", async () => {
    await proxy.send(path, { localAddress: "127.0.0.4" });
    const startedAt = performance.now();
    const { 200: passed = [], 429: refused = [] } = await sendAtOnce("127.0.0.3");
    expect(passed.length).toBeLessThanOrEqual(mostPassed(performance.now() - startedAt));
    expect(passed.length).toBeGreaterThanOrEqual(PROMPT + WAITING);
    expect(passed.length + refused.length).toBe(MANY);
    expect(JSON.parse(refused[0]?.body ?? "")).toMatchObject({ code: "rate_limited" });
    expect(refused[0]?.headers).toMatchObject({ "retry-after": "2", "access-control-allow-origin": "*" });
    expect(await proxy.send(path, { localAddress: "127.0.0.4" })).toMatchObject({ status: 200 });
  });

  test.each<[number, Record<string, string>]>([
    [401, { AUTH_MODE: "required" }],
    [410, { V1_DEPRECATED_AT: "2025-01-01", V1_SUNSET_AT: "2026-01-01" }],
  ])("a flood of %i, which no limit of a node refuses, is bounded", async (status, environment) => {
    const refusing = await serving([person(1)], { environment: { TRUSTED_PROXIES: "127.0.0.1", ...environment } });
    const before = await startProxy(testFolder(), [refusing.address]);
    whenDone(before.stop);
    const startedAt = performance.now();
    // 503: a slow machine does not answer all of them in time.
    const { [status]: passed = [], 429: refused = [], 503: late = [] } = await sendAtOnce("127.0.0.8", {}, before);
    expect(passed.length).toBeGreaterThan(0);
    expect(passed.length + refused.length + late.length).toBe(MANY);
    expect(passed.length).toBeLessThanOrEqual(mostPassed(performance.now() - startedAt));
  });

  test("who waits for responses is slowed down to 100 a second, and not refused", async () => {
    const startedAt = performance.now();
    expect(Object.keys(await sendSome(PROMPT + 50, path, { localAddress: "127.0.0.7" }))).toEqual(["200"]);
    expect(performance.now() - startedAt).toBeGreaterThan(400);
  });

  test("`undefined` and `null` are no keys", async () => {
    const { 429: refused = [] } = await sendAtOnce("127.0.0.5", { "x-api-key": "undefined" });
    expect(refused.length).toBeGreaterThan(0);
  });

  test("requests with a key, preflights, files of pages and health checks are not counted", async () => {
    const localAddress = "127.0.0.6";
    const { body } = await proxy.send("/docs", { localAddress });
    const [asset = ""] = /\/assets\/[^"]+\.css/.exec(body) ?? [];
    expect(Object.keys(await sendSome(MANY, path, { localAddress, key: "of a client" }))).toEqual(["200"]);
    expect(Object.keys(await sendSome(MANY, asset, { localAddress }))).toEqual(["200"]);
    expect(Object.keys(await sendSome(MANY, "/health/live", { localAddress }))).toEqual(["200"]);
    expect(Object.keys(await sendSome(MANY, path, { localAddress, method: "OPTIONS" }))).toEqual(["204"]);
    expect(await proxy.send(path, { localAddress })).toMatchObject({ status: 200 });
  });
});

describe("with the default limits, a client within its limit is never refused:", async () => {
  const { RATE_LIMIT_ANONYMOUS, RATE_LIMIT_KEYS } = VARIABLES;
  const environment = { TRUSTED_PROXIES: "127.0.0.1", RATE_LIMIT_ANONYMOUS, RATE_LIMIT_KEYS };
  const { address, database } = await serving([person(1)], { environment });
  const proxy = await startProxy(testFolder(), [address]);
  whenDone(proxy.stop);
  /** All at once, and different, so that nginx has no copies. */
  const sendBurst = (
    count: number,
    path: string,
    options: { localAddress: string; headers?: Record<string, string> },
  ) =>
    Promise.all(Array.from({ length: count }, async (_, at) => (await proxy.send(`${path}${at + 1}`, options)).status));

  test("a burst of 200 look-ups, which cost 200 of 250 points", async () => {
    expect(new Set(await sendBurst(200, "/api/v1/passports/1?at=", { localAddress: "127.0.0.11" }))).toEqual(
      new Set([200]),
    );
  });

  test("22 searches, which cost 220 of 250 points", async () => {
    expect(new Set(await sendBurst(22, "/api/v1/passports?keyword=a", { localAddress: "127.0.0.12" }))).toEqual(
      new Set([200]),
    );
  });

  test("keys behind one address", async () => {
    const keys = await Promise.all(
      Array.from({ length: 5 }, () => issueKey(database, { label: "test", contact: "test", expiresAt: null })),
    );
    const isKnown = async (token: string) =>
      (await proxy.send("/api/v1/passports/1", { headers: { "x-api-key": token } })).status;
    for (const { token } of keys) await expect.poll(() => isKnown(token)).toBe(200);
    const statuses = await Promise.all(
      keys.map(({ token }) =>
        sendBurst(100, "/api/v1/passports/1?at=", { localAddress: "127.0.0.13", headers: { "x-api-key": token } }),
      ),
    );
    expect(new Set(statuses.flat())).toEqual(new Set([200]));
  });
});

describe("IPv6 clients", async () => {
  const network = createIpv6Network(["2001:db8:1:2::/64", "2001:db8:1:3::/64"]);
  whenDone(async () => network.remove());

  /** Counts how many of 500 connections, each from another address of a network, get a response. */
  test("500 connections to a node from one /64 network are limited as those of one client", async () => {
    const node = await serving([person(1)], { environment: { HOST: network.serverAddress } });
    const output = await network.run(CONNECT, [network.serverAddress, new URL(node.address).port]);
    expect(JSON.parse(output)).toEqual({ answered: 256, closed: 244, other_network: "answered" });
  });

  test.each([
    { keys: 0, streams: 500, open: 256 },
    { keys: 1, streams: 500, open: 256 },
    { keys: 5, streams: 1_250, open: 1_024 },
  ])("of $streams open requests from one /64 network with $keys keys, nginx accepts $open", async (plan) => {
    const origin = await startHolding();
    const proxy = await startProxy(testFolder(), [origin.address], { alsoOn: `[${network.serverAddress}]` });
    whenDone(proxy.stop);
    const { keys, streams, open } = plan;
    const args = [network.serverAddress, String(proxy.port), String(keys), String(streams), String(streams - open)];
    expect(JSON.parse(await network.run(OPEN_STREAMS, args))).toEqual({ 200: open, 429: streams - open });
  });
});

/** A node that responds to nothing until `/release` is requested. */
async function startHolding(): Promise<{ address: string }> {
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url !== "/release") return void waiting.push(response);
    for (const unanswered of [...waiting, response]) unanswered.end();
  });
  await once(server.listen(0, "127.0.0.1", BACKLOG), "listening");
  afterAll(() => void server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

// Programs that run in the namespace of the clients.

const CONNECT = `
  const { connect } = require("node:net");
  const [, host, port] = process.argv;
  const open = (localAddress) => new Promise((resolve) => {
    const socket = connect({ host, port, localAddress });
    socket.on("connect", () => socket.write("GET /health/live HTTP/1.1\\r\\nHost: test\\r\\n\\r\\n"));
    socket.on("data", () => resolve("answered"));
    socket.on("error", () => {});
    socket.on("close", () => resolve("closed"));
  });
  const addresses = Array.from({ length: 500 }, (_, at) => "2001:db8:1:2::" + (at + 1).toString(16));
  Promise.all(addresses.map(open)).then(async (outcomes) => {
    const count = (outcome) => outcomes.filter((found) => found === outcome).length;
    const other_network = await open("2001:db8:1:3::1");
    console.log(JSON.stringify({ answered: count("answered"), closed: count("closed"), other_network }));
    process.exit();
  });
`;

const OPEN_STREAMS = `
  const http2 = require("node:http2");
  const tls = require("node:tls");
  const [, host, port, keys, streams, refusals] = process.argv;
  const options = { host, port, ALPNProtocols: ["h2"], rejectUnauthorized: false };
  const connect = (localAddress) =>
    http2.connect("https://api.example.org", { createConnection: () => tls.connect({ ...options, localAddress }) });
  const statuses = {};
  setTimeout(() => process.exit(1), 30_000);
  let [left, refused] = [Number(streams), 0];
  const request = (session, headers, onStatus) => {
    const stream = session.request(headers);
    stream.on("response", (response) => onStatus(response[":status"]));
    stream.resume();
  };
  const release = () => request(connect("2001:db8:1:3::1"), { ":path": "/release" }, () => {});
  for (let at = 0; at < streams; at += 10) {
    const session = connect("2001:db8:1:2::" + (at + 1).toString(16));
    for (let stream = 0; stream < 10; stream += 1) {
      const number = at + stream;
      const key = keys === "0" ? {} : { "x-api-key": "key " + (number % keys) };
      request(session, { ":path": "/api/v1/passports/" + number, ...key }, (status) => {
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status === 429 && ++refused === Number(refusals)) release();
        if (--left === 0) {
          console.log(JSON.stringify(statuses));
          process.exit();
        }
      });
    }
  }
`;
