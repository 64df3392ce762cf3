import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { hashToken } from "#core/identity/api-key.ts";
import { createUsageCounter, type Usage } from "./usage-counter.ts";

const LIST = "/api/v1/passports";
const SINGLE = "/api/v1/passports/:id";
const TOKEN = `crd_${"a".repeat(48)}`;

type Headers = Record<string, string>;
const anonymous = (headers: Headers = {}, query: object = {}) => ({
  ...{ keyId: null, client: "anonymous", hasKeyInUrl: false, headers, query },
});
const withKey = (keyId: string) => ({ ...anonymous({ "user-agent": "app" }), keyId });

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2027-03-01T23:59:58Z"), toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const valuesOf = (usage: Usage, kind: string) =>
  Object.fromEntries(usage.marks.filter((mark) => mark.kind === kind).map(({ value, requests }) => [value, requests]));

describe("the usage counter", () => {
  test("counts by client, endpoint and status class, with 401, 410 and 429 apart", () => {
    const { count, take } = createUsageCounter();
    for (const status of [200, 200, 304, 404, 401, 410, 429, 503]) count(withKey("k1"), SINGLE, status);
    count(withKey("k1"), LIST, 200);
    count(anonymous(), LIST, 200);
    count({ ...anonymous(), client: "unknown key" }, LIST, 401);
    const counts = take().counts.map(({ client, endpoint, status, requests }) => [client, endpoint, status, requests]);
    expect(counts).toEqual([
      ["k1", LIST, "2xx", 1],
      ["k1", SINGLE, "2xx", 2],
      ["k1", SINGLE, "3xx", 1],
      ["k1", SINGLE, "401", 1],
      ["k1", SINGLE, "410", 1],
      ["k1", SINGLE, "429", 1],
      ["k1", SINGLE, "4xx", 1],
      ["k1", SINGLE, "5xx", 1],
      ["anonymous", LIST, "2xx", 1],
      ["unknown key", LIST, "401", 1],
    ]);
    expect(take()).toEqual({ counts: [], marks: [], lost: 0 });
  });

  test("ignores routes that are no endpoints of V1", () => {
    const { count, take } = createUsageCounter();
    for (const route of ["none", "/health/ready", "/docs"]) count(anonymous({ "user-agent": "x" }), route, 200);
    expect(take()).toEqual({ counts: [], marks: [], lost: 0 });
  });

  test("counts a request on the day of its response, in UTC", () => {
    const { count, take } = createUsageCounter();
    count(anonymous({ "user-agent": "app" }), LIST, 200);
    vi.setSystemTime(Date.parse("2027-03-02T00:00:01Z"));
    count(anonymous({ "user-agent": "app" }), LIST, 200);
    const { counts, marks } = take();
    expect(counts).toMatchObject([
      { day: "2027-03-01", requests: 1, last_at: "2027-03-01T23:59:58.000Z" },
      { day: "2027-03-02", requests: 1, last_at: "2027-03-02T00:00:01.000Z" },
    ]);
    const agents = marks.filter(({ kind }) => kind === "user agent");
    expect(agents).toMatchObject([{ day: "2027-03-01" }, { day: "2027-03-02" }]);
  });

  test("counts user agents and origins of clients without a valid key only, undefined parameters of all", () => {
    const { count, take } = createUsageCounter();
    const headers = { "user-agent": "curl/8", origin: "https://a.example" };
    count(anonymous(headers, { page: "1", per_page: "2", keyword: "x", limit: "5", "a b": "1", "": "1" }), LIST, 200);
    count(anonymous(headers, { passport_id: "1" }), SINGLE, 200);
    count({ ...anonymous(headers, { foo: "1", "filter[ada@x.example]": "", "user.ada": "" }), keyId: "k1" }, LIST, 400);
    // What is no filter may be anything before a bracket, too.
    count(anonymous(headers, { "ada[x]": "1", "utm.ada": "1" }), LIST, 200);
    const usage = take();
    expect(valuesOf(usage, "user agent")).toEqual({ "curl/8": 3 });
    expect(valuesOf(usage, "origin")).toEqual({ "https://a.example": 3 });
    expect(valuesOf(usage, "parameter")).toEqual({ limit: 1, passport_id: 1, foo: 1, filter: 1, user: 1 });
  });

  test("clips and escapes values, and drops those that look like a key", () => {
    const { count, take } = createUsageCounter();
    const agents = ["x".repeat(5_000), "caf\u00e9\u009b[31m\u0001", TOKEN, `app/1 ${TOKEN.toUpperCase()}`, ""];
    for (const agent of agents) count(anonymous({ "user-agent": agent, origin: TOKEN }), LIST, 200);
    count(anonymous({}, { [TOKEN.slice(0, 20)]: "1", [TOKEN]: "1" }), LIST, 200);
    const usage = take();
    expect(valuesOf(usage, "user agent")).toEqual({ ["x".repeat(128)]: 1, "caf%C3%A9%C2%9B[31m%01": 1 });
    expect(usage.marks.filter(({ kind }) => kind !== "path")).toHaveLength(2);
  });

  test("counts the routes of V1 under all prefixes as its endpoints, and lists their paths", () => {
    const { count, countUnknownPath, take } = createUsageCounter();
    count(withKey("k1"), SINGLE, 200);
    count(withKey("k1"), "/api/v2/passports/:id", 404);
    count(withKey("k1"), "/old/api/v2/passport_credentials", 200);
    // A page about a person.
    count(withKey("k1"), "/passports/:id", 200);
    countUnknownPath("/api/v3/score");
    const usage = take();
    expect(usage.counts.map(({ endpoint }) => endpoint)).toEqual([
      ...[SINGLE, SINGLE, "/api/v1/passport_credentials", "/passports/:id"],
    ]);
    expect(valuesOf(usage, "path")).toEqual({
      "/api/v1/passports/*": 1,
      "/api/v2/passports/*": 1,
      "/old/api/v2/passport_credentials": 1,
      "/api/v3/score": 1,
    });
  });

  test("returns unknown keys as hashes", () => {
    const { count, take } = createUsageCounter();
    const unknown = (key: string) => ({ ...anonymous({ "x-api-key": key }), client: "unknown key" });
    for (const key of ["old-1", "old-1", TOKEN, "x".repeat(513)]) count(unknown(key), LIST, 401);
    const usage = take();
    const hash = (key: string) => hashToken(key).toString("hex");
    expect(valuesOf(usage, "unknown key")).toEqual({ [hash("old-1")]: 2, [hash(TOKEN)]: 1 });
    expect(JSON.stringify(usage)).not.toMatch(/old-1|crd_/);
  });

  test("counts keys in URLs by client", () => {
    const { count, take } = createUsageCounter();
    count({ ...withKey("k1"), hasKeyInUrl: true }, LIST, 200);
    count({ ...anonymous(), hasKeyInUrl: true }, LIST, 200);
    expect(valuesOf(take(), "key in URL")).toEqual({ k1: 1, anonymous: 1 });
  });

  test("memory is bounded: requests of too many clients are lost, and their number is known", () => {
    const { count, take } = createUsageCounter();
    for (let index = 0; index < 20_010; index += 1) count(withKey(`k${index}`), LIST, 200);
    count(withKey("k1"), LIST, 200);
    const { counts, lost } = take();
    expect(counts).toHaveLength(20_000);
    expect(lost).toBe(10);
  });
});
