import { afterEach, describe, expect, test, vi } from "vitest";
import { issueKey } from "#keys/manage/issue-key.ts";
import { person } from "#testing/people.ts";
import { relayTo } from "#testing/relay.ts";
import { urlOf } from "#testing/server.ts";
import { serveDatabase, serving } from "#testing/serving.ts";

describe("deprecation and sunset", async () => {
  const { name, database } = await serving([person(1)]);
  const load = async (environment: Record<string, string>, init: RequestInit = {}) => {
    const { address } = await serveDatabase(name, { environment });
    return fetch(`${address}/api/v1/passports/1`, init);
  };
  afterEach(() => {
    vi.useRealTimers();
  });

  test("dates and URLs come from the configuration", async () => {
    const response = await load({
      V1_DEPRECATED_AT: "2026-01-02T03:04:05Z",
      V1_SUNSET_AT: "2999-12-31",
      V1_SUCCESSOR_URL: "https://v2.example/",
      V1_DOCS_URL: "https://docs.example/v1",
    });
    expect(response.headers.get("deprecation")).toBe("@1767323045");
    expect(response.headers.get("sunset")).toBe("Tue, 31 Dec 2999 00:00:00 GMT");
    expect(response.headers.get("link")).toBe(
      '<https://docs.example/v1>; rel="deprecation"; type="text/html", <https://docs.example/v1>; rel="sunset"; type="text/html", <https://v2.example/>; rel="successor-version"',
    );
  });

  test("max-age and stale times end before the sunset and before a brownout", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-01-01T00:00:00Z") });
    const cacheControl = async (sunset: string) => (await load({ V1_SUNSET_AT: sunset })).headers.get("cache-control");
    expect(await cacheControl("2026-01-01T00:03:22Z")).toBe(
      "public, max-age=60, stale-while-revalidate=40, stale-if-error=40",
    );
    expect(await cacheControl("2026-01-01T00:00:52Z")).toBe(
      "public, max-age=25, stale-while-revalidate=0, stale-if-error=0",
    );
    const { headers } = await load({
      V1_SUNSET_AT: "2027-01-01",
      V1_BROWNOUTS: "2026-01-01T00:00:52Z/2026-01-01T00:05:00Z",
    });
    expect(headers.get("cache-control")).toBe("public, max-age=25, stale-while-revalidate=0, stale-if-error=0");
  });

  test("410: after the sunset, before method and key are checked, with CORS headers", async () => {
    const environment = { V1_SUNSET_AT: "2026-01-01" };
    for (const init of [{}, { method: "POST" }, { headers: { "X-API-KEY": "k" } }]) {
      const response = await load(environment, init);
      expect(response.status).toBe(410);
      expect(await response.json()).toMatchObject({ code: "gone" });
      expect(response.headers.get("deprecation")).toMatch(/^@\d+$/);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
    }
    expect((await load(environment, { method: "OPTIONS" })).status).toBe(204);
  });

  test("what is below V1 and no endpoint is 400, and 410 while V1 is switched off", async () => {
    const ask = async (environment: Record<string, string>, init: RequestInit = {}) => {
      const { address } = await serveDatabase(name, { environment: { V1_ALSO_AT: "/old", ...environment } });
      const paths = ["/api/v1/talents/1", "/api/v2/human_checkmark", "/old/passports/1/credentials"];
      const responses = await Promise.all(paths.map((path) => fetch(address + path, init)));
      return responses.map(({ status, headers }) => [status, headers.get("deprecation") !== null]);
    };
    const all = (status: number) => Array(3).fill([status, true]);
    expect(await ask({})).toEqual(all(400));
    expect(await ask({}, { method: "POST", headers: { "X-API-KEY": "k" } })).toEqual(all(400));
    expect(await ask({ V1_SUNSET_AT: "2026-01-01" })).toEqual(all(410));
  });

  const brownout = { V1_SUNSET_AT: "2026-06-30", V1_BROWNOUTS: "2026-01-01T15:00:00Z/2026-01-01T16:00:00Z" };

  test("410: in a brownout, with the seconds until its end in Retry-After, before method and key", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-01-01T15:59:00.001Z") });
    for (const init of [{}, { method: "POST" }, { headers: { "X-API-KEY": "k" } }]) {
      const response = await load(brownout, init);
      expect(response.status).toBe(410);
      expect(await response.json()).toMatchObject({ code: "brownout" });
      expect(response.headers.get("retry-after")).toBe("60");
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("sunset")).toBe("Tue, 30 Jun 2026 00:00:00 GMT");
    }
    vi.setSystemTime(new Date("2026-01-01T15:59:59.999Z"));
    expect((await load(brownout)).headers.get("retry-after")).toBe("1");
    vi.setSystemTime(new Date("2026-01-01T16:00:00Z"));
    expect((await load(brownout)).status).toBe(200);
  });

  test("a known key is logged and counted while V1 is switched off, without a query", async () => {
    const { keyId, token } = await issueKey(database, { label: "k", contact: "k", expiresAt: null });
    const relay = await relayTo(urlOf(name));
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-01-01T15:30:00Z") });
    const { address, logs } = await serveDatabase(name, { environment: brownout, through: relay.through });
    relay.set("cut");
    // One in a hundred requests is logged.
    const statuses = new Set<number>();
    for (let count = 0; count < 100; count += 1)
      statuses.add((await fetch(`${address}/api/v1/passports`, { headers: { "X-API-KEY": token } })).status);
    for (const unknown of [`crd_${"a".repeat(48)}`, "other"])
      statuses.add((await fetch(`${address}/api/v1/passports`, { headers: { "X-API-KEY": unknown } })).status);
    expect(statuses).toEqual(new Set([410]));
    expect(logs.join("")).toContain(`"key":"${keyId}"`);
  });

  test("410: a rehearsal for one key, until its end, after the key check", async () => {
    const { keyId, token } = await issueKey(database, { label: "r", contact: "r", expiresAt: null });
    const { token: other } = await issueKey(database, { label: "o", contact: "o", expiresAt: null });
    const until = new Date(Date.now() + 3_600_000);
    await database.query("update api_key set rehearsed_until = $1, changed_at = now() where key_id = $2", [
      until,
      keyId,
    ]);
    const { address } = await serveDatabase(name);
    const send = (path: string, init: RequestInit) => fetch(`${address}/api/v1/${path}`, init);
    const response = await send("passports/1", { headers: { "X-API-KEY": token } });
    expect([response.status, response.headers.get("cache-control")]).toEqual([410, "no-store"]);
    expect(await response.json()).toMatchObject({ code: "brownout" });
    const seconds = Number(response.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(3_600);
    // Before the look-up, after the method.
    expect((await send("passports/nobody", { headers: { "X-API-KEY": token } })).status).toBe(410);
    expect((await send("passports/1", { method: "POST", headers: { "X-API-KEY": token } })).status).toBe(405);
    expect((await send("passports/1", { headers: { "X-API-KEY": other } })).status).toBe(200);
    expect((await send("passports/1", {})).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: until });
    expect((await send("passports/1", { headers: { "X-API-KEY": token } })).status).toBe(200);
  });
});
