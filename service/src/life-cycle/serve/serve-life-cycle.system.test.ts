import { join } from "node:path";
import { ERRORS, errorBody } from "@credence/contract/errors.ts";
import { parseDictionary, parseItem } from "structured-headers";
import { describe, expect, test } from "vitest";
import { issueKey } from "#keys/manage/issue-key.ts";
import { startServing } from "#testing/command.ts";
import { createClock } from "#testing/fake-clock.ts";
import { testFolder } from "#testing/folder.ts";
import { person } from "#testing/people.ts";
import { relayTo } from "#testing/relay.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";
import { serving } from "#testing/serving.ts";

const DEPRECATED = "2030-01-01T00:00:00Z";
const SUNSET = "2031-03-03T12:00:00Z";
const BROWNOUTS = [
  ["2031-01-10T15:00:00Z", "2031-01-10T15:05:00Z"],
  ["2031-02-10T15:00:00Z", "2031-02-11T03:00:00Z"],
] as const;
const CHANGES = [...BROWNOUTS.flat(), SUNSET];

type Step = [time: string, code: "brownout" | "gone" | null, retryAfter: number | null];

/** `credence serve` with a stopped clock, which the test moves from one time to the next. */
describe("credence serve from the announcement to the end", async () => {
  const { name, database } = await serving([person(1)]);
  const { token } = await issueKey(database, { label: "k", contact: "k@example.org", expiresAt: null });
  const clock = createClock(join(testFolder(), "clock"));
  const relay = await relayTo(urlOf(name));
  const start = async (): Promise<string> => {
    clock.stopAt(new Date("2030-06-01T00:00:00Z"));
    const { address } = await startServing({
      ...clock.environment,
      DATABASE_URL: relay.through(urlOf(name, SERVE_ROLE)),
      PUBLIC_URL: "https://v1.example",
      V1_DEPRECATED_AT: DEPRECATED,
      V1_SUNSET_AT: SUNSET,
      V1_BROWNOUTS: BROWNOUTS.map((times) => times.join("/")).join(", "),
      V1_SUCCESSOR_URL: "https://v2.example/",
    });
    return address;
  };

  /** Requests of all kinds, with the status that they get while V1 responds. */
  const REQUESTS: [path: string, init: RequestInit, status: number][] = [
    ["/api/v1/passports", {}, 200],
    ["/api/v1/passports/1", {}, 200],
    ["/api/v1/passports/1", { method: "HEAD" }, 200],
    ["/api/v1/passports/1", { headers: { "X-API-KEY": token } }, 200],
    ["/api/v1/passports/1", { headers: { "If-None-Match": "*" } }, 304],
    ["/api/v1/passport_credentials?passport_id=1", {}, 200],
    ["/api/v1/passports/nobody", {}, 404],
    ["/api/v1/passports/1", { headers: { "X-API-KEY": "wrong" } }, 401],
    ["/api/v1/passports/1", { method: "DELETE" }, 405],
  ];

  const nextChange = (now: number): number =>
    Math.min(...CHANGES.map((time) => Date.parse(time)).filter((time) => time > now));

  function expectHeaders(headers: Headers, now: number): void {
    expect(parseItem(headers.get("deprecation") ?? "")[0]).toEqual(new Date(DEPRECATED));
    expect(headers.get("sunset")).toBe(new Date(SUNSET).toUTCString());
    expect(headers.get("link")).toMatch(
      /^<https:\/\/v1\.example\/deprecation>; rel="deprecation"; type="text\/html", <https:\/\/v1\.example\/deprecation>; rel="sunset"; type="text\/html", <https:\/\/v2\.example\/>; rel="successor-version"/,
    );
    const caching = parseDictionary(headers.get("cache-control") ?? "");
    const seconds = (directive: string) => Number(caching.get(directive)?.[0] ?? 0);
    const stale = Math.max(seconds("stale-while-revalidate"), seconds("stale-if-error"));
    expect(now + (seconds("max-age") + stale) * 1_000).toBeLessThan(nextChange(now));
    expect(caching.has("no-store") || caching.has("max-age")).toBe(true);
  }

  async function expectState(address: string, [time, code, retryAfter]: Step) {
    const now = Date.parse(time);
    clock.stopAt(new Date(time));
    // A 304 would let a shared cache renew a copy.
    const isNear = nextChange(now) - now < 7_322_000;
    for (const [path, init, status] of REQUESTS) {
      const { headers, ...response } = await fetch(address + path, init).then(async (sent) => ({
        status: sent.status,
        headers: sent.headers,
        body: await sent.text(),
      }));
      expectHeaders(headers, now);
      expect(response.status, `${time} ${path}`).toBe(
        code !== null ? ERRORS[code].status : isNear && status === 304 ? 200 : status,
      );
      if (code === null) continue;
      expect(response.body).toBe(init.method === "HEAD" ? "" : errorBody(code));
      expect(headers.get("cache-control")).toBe("no-store");
      const sent = headers.get("retry-after");
      expect(sent === null ? null : parseItem(sent)[0]).toBe(retryAfter);
    }
    const document = (await (await fetch(`${address}/deprecation.json`)).json()) as { state: string };
    expect(document.state).toBe(code ?? "announced");
  }

  // The times between are tested in life-cycle/state-and-headers.test.ts, without a server.
  const STEPS: Step[] = [
    ["2029-12-31T23:59:59Z", null, null],
    ["2031-01-10T14:59:59Z", null, null],
    ["2031-01-10T15:00:00Z", "brownout", 300],
    ["2031-01-10T15:05:00Z", null, null],
    ["2031-03-03T12:00:00Z", "gone", null],
    // A clock that is set back.
    ["2031-02-10T15:00:00Z", "brownout", 43_200],
    ["2030-06-01T00:00:00Z", null, null],
  ];

  test("a running server follows the clock; when V1 is switched off, no response needs the database", async () => {
    const address = await start();
    for (const step of STEPS) await expectState(address, step);
    relay.set("cut");
    await expectState(address, ["2031-02-10T15:00:00Z", "brownout", 43_200]);
    await expectState(address, ["2031-03-03T12:00:00Z", "gone", null]);
    for (const path of ["/deprecation", "/docs", "/docs.md", "/openapi.json", "/health/live", "/health/ready"])
      expect((await fetch(address + path)).status, path).toBe(200);
  });
});
