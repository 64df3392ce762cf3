import { afterEach, describe, expect, test, vi } from "vitest";
import { person } from "#testing/people.ts";
import { serveDatabase, serving } from "#testing/serving.ts";

describe("deprecation and sunset", async () => {
  const { name } = await serving([person(1)]);
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

  test("max-age and stale times end at the sunset", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-01-01T00:00:00Z") });
    const cacheControl = async (sunset: string) => (await load({ V1_SUNSET_AT: sunset })).headers.get("cache-control");
    expect(await cacheControl("2026-01-01T00:01:40Z")).toBe(
      "public, max-age=60, stale-while-revalidate=40, stale-if-error=40",
    );
    expect(await cacheControl("2026-01-01T00:00:25Z")).toBe(
      "public, max-age=25, stale-while-revalidate=0, stale-if-error=0",
    );
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
});
