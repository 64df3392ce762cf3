import { parseList } from "structured-headers";
import { describe, expect, test } from "vitest";
import { issueKey } from "#keys/manage/issue-key.ts";
import { person } from "#testing/people.ts";
import { serving } from "#testing/serving.ts";

const LIMITED = { RATE_LIMIT_ANONYMOUS: "50", RATE_LIMIT_KEYS: "2500", TRUSTED_PROXIES: "127.0.0.1" };

describe("rate limits", async () => {
  const { address, privateAddress, database } = await serving([person(1)], {
    environment: { ...LIMITED, RATE_LIMIT_EXEMPT: "203.0.113.0/24" },
  });
  let last = 0;
  /** Sends requests as a new client, through a trusted proxy. */
  const client = (ip?: string) => {
    last += 1;
    const from = ip ?? `198.51.100.${last}`;
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(address + path, { headers: { "x-forwarded-for": from, ...headers } });
    return { get, from };
  };
  const statuses = async (count: number, send: () => Promise<Response>): Promise<Record<string, number>> => {
    const found: Record<string, number> = {};
    for (let index = 0; index < count; index += 1) {
      const { status } = await send();
      found[status] = (found[status] ?? 0) + 1;
    }
    return found;
  };

  // The slower the machine, the more requests pass: the bucket drains meanwhile.
  test("of a burst of searches, 5 pass; other clients do not notice", async () => {
    const { get } = client();
    const burst = Array.from({ length: 50 }, () => get("/api/v1/passports?keyword=person"));
    const { 200: passed = [], 429: refused = [] } = Object.groupBy(await Promise.all(burst), ({ status }) => status);
    expect(passed.length).toBeGreaterThanOrEqual(5);
    expect(passed.length + refused.length).toBe(50);
    expect(refused.length).toBeGreaterThan(0);
    expect((await client().get("/api/v1/passports/1")).status).toBe(200);
  });

  test("a 429 is an error of V1 that says when to try again", async () => {
    const { get } = client();
    const burst = Array.from({ length: 100 }, () => get("/api/v1/passports/1"));
    const response = (await Promise.all(burst)).find(({ status }) => status === 429) as Response;
    expect(await response.json()).toMatchObject({ code: "rate_limited" });
    expect(Number(response.headers.get("retry-after"))).toBe(1);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("access-control-expose-headers")).toContain("RateLimit, RateLimit-Policy");
    const [item] = parseList(response.headers.get("ratelimit") ?? "");
    expect([item?.[0], Object.fromEntries(item?.[1] ?? [])]).toEqual([
      "anonymous",
      { r: expect.any(Number), t: expect.any(Number) },
    ]);
  });

  test("the policy is on every response, what is left only where no shared cache stores it", async () => {
    const { token } = await issueKey(database, { label: "test", contact: "test", expiresAt: null });
    const { get } = client();
    await expect.poll(async () => (await client().get("/api/v1/passports", { "x-api-key": token })).status).toBe(200);
    for (const path of ["/api/v1/passports/1", "/api/v1/passports", "/api/v1/passports/7", "/docs"]) {
      const { headers } = await get(path);
      expect(headers.get("ratelimit-policy")).toBe('"anonymous";q=50;w=10');
      expect(headers.get("cache-control")).toMatch(/^public/);
      expect(headers.get("ratelimit")).toBeNull();
    }
    const { headers } = await get("/api/v1/passports/1", { "x-api-key": token });
    expect(headers.get("ratelimit-policy")).toBe('"key";q=2500;w=10');
    expect(headers.get("ratelimit")).toMatch(/^"key";r=24\d\d;t=\d$/);
    const refused = await get("/api/v1/passports/1", { "x-api-key": "unknown" });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("ratelimit")).toMatch(/^"anonymous";r=4\d;t=\d$/);
  });

  test("a client that ignores 429 gets further refusals late; other clients do not wait", async () => {
    const { get } = client();
    const send = () => get("/api/v1/passports?per_page=100");
    const startedAt = performance.now();
    const refusals = Promise.all(Array.from({ length: 200 }, send));
    const delayed = refusals.then((responses) => ({ responses, ms: performance.now() - startedAt }));
    expect((await client().get("/api/v1/passports/1")).status).toBe(200);
    const { responses, ms } = await delayed;
    expect(responses.filter(({ status }) => status === 429).length).toBeGreaterThan(100);
    expect(ms).toBeGreaterThan(900);
  });

  test("refused keys are charged to the address, and a valid key is not refused because of them", async () => {
    const { token } = await issueKey(database, { label: "test", contact: "test", expiresAt: null });
    await expect.poll(async () => (await client().get("/api/v1/passports", { "x-api-key": token })).status).toBe(200);
    const { get } = client();
    const junk = Array.from({ length: 120 }, () => get("/api/v1/passports/1", { "x-api-key": "junk" }));
    const found = Object.groupBy(await Promise.all(junk), ({ status }) => String(status));
    expect(found[401]?.length).toBeGreaterThanOrEqual(50);
    expect(found[429]?.length).toBeGreaterThan(0);
    expect((await get("/api/v1/passports/1", { "x-api-key": token })).status).toBe(200);
  });

  test("a key has its own limit", async () => {
    const { token, keyId } = await issueKey(database, { label: "test", contact: "test", expiresAt: null });
    await database.query("update api_key set points_limit = 30, changed_at = now() where key_id = $1", [keyId]);
    const get = () => client().get("/api/v1/passports/1", { "x-api-key": token });
    await expect.poll(async () => (await get()).headers.get("ratelimit-policy")).toBe('"key";q=30;w=10');
    const found = await Promise.all(Array.from({ length: 60 }, get));
    expect(found.some(({ status }) => status === 429)).toBe(true);
  });

  test.each([32, 100])("%d different searches of a key at once all get their answer", async (count) => {
    const { token } = await issueKey(database, { label: "test", contact: "test", expiresAt: null });
    await expect.poll(async () => (await client().get("/api/v1/passports", { "x-api-key": token })).status).toBe(200);
    const search = (_: unknown, index: number) =>
      client().get(`/api/v1/passports?keyword=person+${index}`, { "x-api-key": token });
    const responses = await Promise.all(Array.from({ length: count }, search));
    expect(responses.map(({ status }) => status)).toEqual(Array(count).fill(200));
  });

  test("health checks and preflights are free, and exempt networks have no limit", async () => {
    const { get } = client();
    expect(await statuses(60, () => get("/health/live"))).toEqual({ 200: 60 });
    const preflight = () =>
      fetch(`${address}/api/v1/passports`, { method: "OPTIONS", headers: { "x-forwarded-for": "198.51.100.250" } });
    expect(await statuses(60, preflight)).toEqual({ 204: 60 });
    const exempt = client("203.0.113.9");
    expect(await statuses(60, () => exempt.get("/api/v1/passports?keyword=x"))).toEqual({ 200: 60 });
    expect((await exempt.get("/api/v1/passports")).headers.get("ratelimit-policy")).toBeNull();
  });

  test("405 and 414 keep their status, are charged to the address, and come late over its limit", async () => {
    const mistakes = [
      { path: "/api/v1/passports", method: "DELETE", status: 405 },
      { path: `/api/v1/passports?x=${"y".repeat(8_200)}`, method: "GET", status: 414 },
      { path: `/docs?x=${"y".repeat(8_200)}`, method: "GET", status: 414 },
    ];
    for (const { path, method, status } of mistakes) {
      const { from } = client();
      const send = () => fetch(address + path, { method, headers: { "x-forwarded-for": from } });
      const startedAt = performance.now();
      const responses = await Promise.all(Array.from({ length: 120 }, send));
      expect(new Set(responses.map((response) => response.status))).toEqual(new Set([status]));
      expect(performance.now() - startedAt).toBeGreaterThan(900);
      expect(responses.some(({ headers }) => headers.has("ratelimit"))).toBe(false);
    }
  });

  test("unknown names below /health/ and /assets/ are charged, known ones are free", async () => {
    const page = await (await fetch(`${address}/docs`)).text();
    const [asset = ""] = /\/assets\/[^"]+\.css/.exec(page) ?? [];
    const free = client();
    for (const path of ["/health/ready", asset]) expect(await statuses(60, () => free.get(path))).toEqual({ 200: 60 });
    for (const path of ["/health/unknown", "/assets/unknown.css"]) {
      const { get } = client();
      const burst = await Promise.all(Array.from({ length: 100 }, () => get(path)));
      expect(new Set(burst.map(({ status }) => status))).toEqual(new Set([404, 429]));
    }
  });

  test("a flood of preflights gets 204, late; other clients do not wait", async () => {
    const { get, from } = client();
    const preflight = () =>
      fetch(`${address}/api/v1/passports`, { method: "OPTIONS", headers: { "x-forwarded-for": from } });
    const found = new Set<number>();
    let slowestMs = 0;
    // On a slow machine, a batch takes longer anyway, and more of the limit is free again.
    for (let batch = 0; batch < 8 && slowestMs < 900; batch += 1) {
      const startedAt = performance.now();
      for (const { status } of await Promise.all(Array.from({ length: 500 }, preflight))) found.add(status);
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    }
    expect(found).toEqual(new Set([204]));
    expect(slowestMs).toBeGreaterThan(900);
    expect((await get("/api/v1/passports/1")).status).toBe(200);
  });

  test("counts refusals and buckets in the metrics", async () => {
    const metrics = await (await fetch(`${privateAddress}/metrics`)).text();
    expect(Number(/^credence_rate_limited_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
    expect(Number(/^credence_rate_limit_buckets (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(3);
  });
});

test("whatever a trusted proxy forwards as an address gets a response, and all of it is one client", async () => {
  const { address } = await serving([person(1)], { environment: LIMITED });
  const forwarded = ["garbage", "1:2:3:4:5:6:7:8::9", "::::", "a".repeat(6_000), "999.1.1.1"];
  const statuses = new Set<number>();
  for (let index = 0; index < 30; index += 1) {
    const headers = { "x-forwarded-for": forwarded[index % forwarded.length] as string };
    statuses.add((await fetch(`${address}/api/v1/passports?keyword=x`, { headers })).status);
  }
  expect([...statuses]).toEqual([200, 429]);
});

test("X-Forwarded-For of an untrusted peer does not change the bucket, and the log says so", async () => {
  const { address, logs } = await serving([person(1)], { environment: { RATE_LIMIT_ANONYMOUS: "50" } });
  const send = (at: number) =>
    fetch(`${address}/api/v1/passports?keyword=x`, { headers: { "x-forwarded-for": `198.51.100.${at}` } });
  const responses = await Promise.all(Array.from({ length: 30 }, (_, index) => send(index)));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 429]));
  expect(logs.filter((line) => line.includes("add its address to TRUSTED_PROXIES"))).toHaveLength(1);
});
