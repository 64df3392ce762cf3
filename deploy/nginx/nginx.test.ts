import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { ERRORS, type ErrorCode, errorBody } from "../../contract/src/errors.ts";
import { issueKey } from "../../service/src/keys/manage/issue-key.ts";
import { hide } from "../../service/testing/decide.ts";
import { createClock } from "../../service/testing/fake-clock.ts";
import { testFolder } from "../../service/testing/folder.ts";
import { person } from "../../service/testing/people.ts";
import { type ProxyResponse, type RunningProxy, startProxy } from "../../service/testing/proxy.ts";
import { relayTo } from "../../service/testing/relay.ts";
import { serving } from "../../service/testing/serving.ts";
import { whenDone } from "../../service/testing/when-done.ts";

const PEOPLE = Array.from({ length: 60 }, (_, index) => person(index + 1));
/** As documented in docs/PRIVACY.md. */
const FRESH_SECONDS = 60;
const STALE_WHILE_REVALIDATING_SECONDS = 60;
const STALE_IF_ERROR_SECONDS = 3_600;

async function proxyTo(
  nodes: readonly string[],
): Promise<RunningProxy & { folder: string; setClockAhead: (seconds: number) => void }> {
  const folder = testFolder();
  const clock = createClock(join(folder, "clock"));
  const proxy = await startProxy(folder, nodes, { clock });
  whenDone(proxy.stop);
  return { ...proxy, folder, setClockAhead: clock.setAhead };
}

const environment = { PUBLIC_URL: "https://api.example.org", TRUSTED_PROXIES: "127.0.0.1" };

describe("the proxy", async () => {
  const node = await serving(PEOPLE, { environment });
  const relay = await relayTo(node.address);
  const proxy = await proxyTo([relay.through(node.address)]);
  const { token: key } = await issueKey(node.database, { label: "test", contact: "a@example.org", expiresAt: null });
  // The node loads a new key within seconds.
  await vi.waitUntil(
    async () => (await fetch(`${node.address}/api/v1/passports`, { headers: { "x-api-key": key } })).ok,
    {
      timeout: 90_000,
    },
  );
  const cacheOf = async (path: string, headers = {}): Promise<string> => {
    const response = await proxy.send(path, { headers });
    return `${response.status} ${response.headers["x-cache"] ?? "none"}`;
  };

  test("starts without warnings", () => {
    expect(readFileSync(join(proxy.folder, "start.log"), "utf8")).toBe("");
  });

  test("passes every header of V1 once and unchanged, cached or not", async () => {
    for (const path of ["/api/v1/passports/1", "/api/v1/passports?page=2", "/api/v1/passports/999", "/docs"]) {
      const direct = await fetch(node.address + path, { headers: { "accept-encoding": "identity" } });
      const {
        date,
        "x-request-id": id,
        connection,
        "keep-alive": keepAlive,
        ...expected
      } = Object.fromEntries(direct.headers);
      expect([date, connection, keepAlive].map((value) => typeof value)).toEqual(["string", "string", "string"]);
      const body = await direct.text();
      for (const state of ["MISS", "HIT"]) {
        const response = await proxy.send(path);
        expect(response.headers).toMatchObject({ ...expected, "x-cache": state });
        expect([response.status, response.body]).toEqual([direct.status, body]);
        expect(headersSentTwice(response)).toEqual([]);
        if (id !== undefined) expect(response.headers["x-request-id"]).toMatch(/^[0-9a-f]{32}$/);
      }
    }
  });

  test("sends each response with the id of its own request, which the node logs too", async () => {
    const ids = new Set<string | undefined>();
    for (let index = 0; index < 3; index += 1) {
      const { headers } = await proxy.send("/api/v1/passports/2", { headers: { "x-request-id": "chosen-by-client" } });
      ids.add(headers["x-request-id"]);
    }
    expect(ids.size).toBe(3);
    expect(ids).not.toContain("chosen-by-client");
  });

  test("compresses, and ETags stay valid", async () => {
    const path = "/api/v1/passports?per_page=50";
    const plain = await proxy.send(path);
    const etag = plain.headers.etag as string;
    expect(etag).toMatch(/^W\/"/);
    for (const encoding of ["br", "gzip"]) {
      const headers = { "accept-encoding": encoding };
      const compressed = await proxy.send(path, { headers });
      expect(compressed.headers).toMatchObject({
        "content-encoding": encoding,
        etag,
        vary: "Accept-Encoding, X-API-KEY",
      });
      expect(compressed.body).toBe(plain.body);
      for (const more of [{}, { "x-api-key": key }]) {
        const conditional = await proxy.send(path, { headers: { ...headers, ...more, "if-none-match": etag } });
        expect(conditional).toMatchObject({ status: 304, body: "" });
        expect(conditional.headers).toMatchObject({ etag, deprecation: "@1743379200" });
      }
    }
  });

  test("neither reads nor fills the cache for requests with a key", async () => {
    const path = "/api/v1/passports/3";
    expect(await cacheOf(path, { "x-api-key": key })).toBe("200 none");
    expect(await cacheOf(path)).toBe("200 MISS");
    expect(await cacheOf(path)).toBe("200 HIT");
    const keyed = await proxy.send(path, { headers: { "x-api-key": key } });
    expect(keyed.headers).toMatchObject({ "cache-control": "private, max-age=60" });
    expect(keyed.headers).not.toHaveProperty("x-cache");
    expect(await cacheOf(path, { "x-api-key": "unknown" })).toBe("401 none");
    expect(await cacheOf(path)).toBe("200 HIT");
  });

  test("ignores Range, as V1 does", async () => {
    expect(await cacheOf("/api/v1/passports/4")).toBe("200 MISS");
    expect(await cacheOf("/api/v1/passports/4", { range: "bytes=0-3" })).toBe("200 HIT");
  });

  test("revalidates, and serves a stale copy only as long as V1 allows", async () => {
    const path = "/api/v1/passports/5";
    whenDone(() => {
      relay.set("pass");
      proxy.setClockAhead(0);
    });
    const states: string[] = [];
    const at = async (seconds: number) => {
      proxy.setClockAhead(seconds);
      states.push(await cacheOf(path));
    };
    await at(0);
    await at(FRESH_SECONDS - 2);
    // Stale while revalidating: the second request finds the new copy.
    await at(FRESH_SECONDS + 2);
    await expect.poll(() => cacheOf(path)).toBe("200 HIT");
    // Later than that, the client waits for the node, which confirms the copy.
    const second = FRESH_SECONDS + 2 + FRESH_SECONDS + STALE_WHILE_REVALIDATING_SECONDS + 2;
    await at(second);
    relay.set("cut");
    await at(second + FRESH_SECONDS - 2);
    await at(second + FRESH_SECONDS + STALE_IF_ERROR_SECONDS - 30);
    await at(second + FRESH_SECONDS + STALE_IF_ERROR_SECONDS + 2);
    expect(states).toEqual(["200 MISS", "200 HIT", "200 STALE", "200 REVALIDATED", "200 HIT", "200 STALE", "503 none"]);
    relay.set("pass");
    expect(await cacheOf(path)).toMatch(/^200/);
  });

  test("a hidden person disappears within the documented two minutes, and at the first revalidation", async () => {
    whenDone(() => proxy.setClockAhead(0));
    for (const path of ["/api/v1/passports/6", "/api/v1/passports/7"]) expect(await cacheOf(path)).toBe("200 MISS");
    for (const passportId of [6, 7]) await hide(node.database, [passportId]);
    proxy.setClockAhead(FRESH_SECONDS + 2);
    expect(await cacheOf("/api/v1/passports/6")).toBe("200 STALE");
    await expect.poll(() => cacheOf("/api/v1/passports/6")).toBe("404 HIT");
    proxy.setClockAhead(FRESH_SECONDS + STALE_WHILE_REVALIDATING_SECONDS + 2);
    expect(await cacheOf("/api/v1/passports/7")).toMatch(/^404/);
  });

  test("only undefined and null are no key: they use the cache, as requests without a key", async () => {
    const path = "/api/v1/passports/30";
    expect(await cacheOf(path)).toBe("200 MISS");
    const states = await Promise.all(
      ["", "undefined", "null", "Undefined", "NULL", "nullx"].map((value) => cacheOf(path, { "x-api-key": value })),
    );
    expect(states).toEqual(["200 HIT", "200 HIT", "200 HIT", "401 none", "401 none", "401 none"]);
  });

  test("its own errors have the form of V1", async () => {
    const long = "a".repeat(20_000);
    const cases: [ErrorCode, () => Promise<ProxyResponse>][] = [
      ["method_not_allowed", () => proxy.send("/api/v1/passports", { method: "TRACE" })],
      ["uri_too_long", () => proxy.send(`/api/${long}`)],
      ["headers_too_large", () => proxy.send("/api/v1/passports", { headers: { "x-long": long } })],
      ["bad_request", () => proxy.send("/api/%00")],
      ["bad_request", () => proxy.send("//api/v3/%00")],
      ["not_found", () => proxy.send("/api/v1/passports/%zz")],
      ["not_found", () => proxy.send("/api/v1/passports/1%00?x=1")],
      ["unknown_path", () => proxy.send("/credence-error")],
      [
        "unavailable",
        () => {
          relay.set("cut");
          return proxy.send("/api/v1/passports/50");
        },
      ],
    ];
    whenDone(() => relay.set("pass"));
    for (const [code, send] of cases) {
      const response = await send();
      expect([response.status, response.body]).toEqual([ERRORS[code].status, errorBody(code)]);
      expect(response.headers).toMatchObject({
        deprecation: "@1743379200",
        link: '<https://api.example.org/deprecation>; rel="deprecation"; type="text/html"',
        "access-control-allow-origin": "*",
        "cache-control": "no-store",
        "content-type": "application/json; charset=utf-8",
        "x-request-id": expect.stringMatching(/^[0-9a-f]{32}$/),
        ...(code === "unavailable" && { "retry-after": "2" }),
        ...(code === "method_not_allowed" && { allow: "GET, HEAD, OPTIONS" }),
      });
      expect(headersSentTwice(response)).toEqual([]);
    }
  });

  test("errors of pages have no header of V1, whether Credence sends them or nginx", async () => {
    const long = "a".repeat(20_000);
    const sent = [
      proxy.send("/docs", { method: "TRACE" }),
      proxy.send(`/${long}`),
      proxy.send(`/docs?${"a".repeat(9_000)}`),
      proxy.send("/", { headers: { "x-long": long } }),
      proxy.send("/passports/%00"),
      proxy.send("/passports/4711"),
      proxy.send("/assets/none.css"),
    ];
    for (const { status, headers } of await Promise.all(sent)) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(headers["x-request-id"]).toMatch(/^[0-9a-f]{32}$/);
      for (const name of ["deprecation", "link", "access-control-allow-origin", "access-control-expose-headers"])
        expect(headers).not.toHaveProperty(name);
    }
    const unknown = await proxy.send("/nothing");
    expect(unknown).toMatchObject({ status: 404, headers: { deprecation: "@1743379200" } });
  });

  test("redirects to HTTPS, and offers HTTP/2 with HSTS", async () => {
    const redirect = await fetch(`http://127.0.0.1:${proxy.plainPort}/api/v1/passports?page=2&q=a%20b`, {
      redirect: "manual",
    });
    expect(redirect.status).toBe(308);
    expect(redirect.headers.get("location")).toBe("https://api.example.org/api/v1/passports?page=2&q=a%20b");
    const session = connectHttp2(`https://127.0.0.1:${proxy.port}`, {
      ca: readFileSync(proxy.authority),
      servername: "api.example.org",
    });
    const stream = session.request({ ":path": "/api/v1/passports/1", ":authority": "api.example.org" });
    const [headers] = await once(stream, "response");
    session.destroy();
    expect(headers).toMatchObject({ ":status": 200, "strict-transport-security": "max-age=31536000" });
  });

  test("what a client sends in Authorization is not passed on, and is in no log and not in the database", async () => {
    const SECRET = "5ec2e7-of-another-service";
    const headers = { authorization: `Bearer ${SECRET}` };
    const seen: unknown[] = [];
    const upstream = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end("{}");
    });
    whenDone(() => void upstream.close());
    await once(upstream.listen(0, "127.0.0.1"), "listening");
    const before = await proxyTo([`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`]);
    for (const path of ["/api/v1/passports/1", "/api/v1/passports?q=a", "/holder"]) {
      await before.send(path, { headers });
      // Also if the node is asked directly.
      await (await fetch(node.address + path, { headers })).text();
      await proxy.send(path, { headers });
    }
    expect(seen).toEqual([undefined, undefined, undefined]);
    const logged = globSync("**/*.log", { cwd: proxy.folder }).map((file) =>
      readFileSync(join(proxy.folder, file), "utf8"),
    );
    expect(
      logged.join("") + node.logs.join("") + execFileSync("pg_dump", [node.url], { encoding: "utf8" }),
    ).not.toContain(SECRET);
  });

  test("logs neither URLs nor keys", async () => {
    await proxy.send("/api/v1/passports?q=some-name&api_key=secret-in-url", { headers: { "x-api-key": "secret-key" } });
    relay.set("cut");
    whenDone(() => relay.set("pass"));
    await proxy.send("/api/v1/passports?q=other-name");
    const logs = readdirSync(proxy.folder).filter((file) => file.endsWith(".log"));
    const text = logs.map((file) => readFileSync(join(proxy.folder, file), "utf8")).join("");
    expect(text).toContain(" GET 401 ");
    expect(text).toContain(" GET 503 ");
    expect(text).not.toMatch(/secret|name|passports/);
  });
});

test("behind the proxy, each client has its own rate limit", async () => {
  const node = await serving(PEOPLE, { environment: { ...environment, RATE_LIMIT_ANONYMOUS: "250" } });
  const proxy = await proxyTo([node.address]);
  const search = (localAddress: string, index: number) =>
    proxy.send(`/api/v1/passports?keyword=x&at=${index}`, {
      localAddress,
      headers: { "x-forwarded-for": `198.51.100.${index}` },
    });
  const statuses = new Set<number>();
  for (let index = 0; index < 100; index += 1) statuses.add((await search("127.0.0.2", index)).status);
  expect([...statuses]).toEqual([200, 429]);
  const other = await search("127.0.0.3", 1_000);
  expect(other.status).toBe(200);
  expect(other.headers["ratelimit-policy"]).toBe('"anonymous";q=250;w=10');
});

const headersSentTwice = ({ rawHeaders }: ProxyResponse): string[] => {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  return names.filter((name, index) => names.indexOf(name) !== index);
};
