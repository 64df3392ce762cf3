import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Credential } from "@credence/contract/credential.ts";
import type { Person } from "@credence/contract/person.ts";
import { describe, expect, test } from "vitest";
import { inventPerson } from "../../../service/src/demo/invent/person.ts";
import { randomFrom } from "../../../service/src/demo/invent/random.ts";
import { whenDone } from "../../../service/testing/when-done.ts";
import { type Breakage, proxyTo } from "../../testing/breaking-proxy.ts";
import { minimalServer } from "../../testing/minimal-server.ts";
import { breakWithSeeds, dataSeeds, formSeeds, type Seed } from "../../testing/seeded-differences.ts";
import { Client } from "../client.ts";
import { compareServers } from "./command.ts";
import type { Group } from "./groups.ts";
import { printReport } from "./print-report.ts";

const people = Array.from({ length: 100 }, (_, index) =>
  inventPerson(randomFrom(5, index), 734_000_000 + 17 * index),
).sort((a, b) => (a.passport.score ?? 0) - (b.passport.score ?? 0));

/** Five of a hundred people, with another score and calculated later. */
const changedPeople = people.map((person, index): Person => {
  if (index % 20 !== 7) return person;
  const last_calculated_at = "2026-01-01T00:00:00.000Z";
  return {
    passport: {
      ...person.passport,
      score: (person.passport.score ?? 0) + 40.5,
      skills_score: 44.25,
      last_calculated_at,
    },
    credentials: person.credentials.map((credential) => ({ ...credential, score: 0.5, last_calculated_at })),
  };
});

/** All pages, and half of the people, as nginx logs them. */
const log = [
  ...Array.from({ length: 10 }, (_, index) => `/api/v1/passports?page=${index + 1}`),
  ...people
    .slice(0, 50)
    .flatMap(({ passport: { passport_id } }) => [
      `/api/v1/passports/${passport_id}?api_key=sk_secret_key`,
      `/api/v1/passport_credentials?passport_id=${passport_id}`,
    ]),
  ...people.slice(25, 30).map(({ passport }) => `https://old.example/prefix/api/v1/passports/${passport.main_wallet}`),
].map((target) => `192.0.2.7 - - [01/Nov/2026:00:00:00 +0000] "GET ${target} HTTP/1.1" 200 1 "-" "agent"`);

const NONE: Breakage = breakWithSeeds([]);

async function start(served: readonly Person[], breakage: Breakage): Promise<string> {
  const server = await minimalServer(served);
  const proxy = await proxyTo(server.address);
  proxy.breakWith(breakage);
  whenDone(() => {
    proxy.close();
    server.close();
  });
  return proxy.address;
}

type Setup = {
  old?: Breakage;
  new?: Breakage;
  oldPeople?: readonly Person[];
  lines?: readonly string[];
  showValues?: boolean;
  isStrict?: boolean;
};

async function replay(setup: Setup) {
  const { old = NONE, new: next = NONE, oldPeople = people, lines = log, showValues = false, isStrict = false } = setup;
  const folder = await mkdtemp(join(tmpdir(), "credence-test-"));
  whenDone(() => rm(folder, { recursive: true }));
  const file = join(folder, "access.log");
  await writeFile(file, lines.join("\n"));
  const connect = async (served: readonly Person[], breakage: Breakage) => {
    const url = await start(served, breakage);
    const client = new Client({ baseUrl: url, maxRequestsPerSecond: 1e5, timeoutMs: 60_000 });
    whenDone(() => client.close());
    return { client, url, hasKey: false };
  };
  const sides = { old: await connect(oldPeople, old), new: await connect(people, next) };
  const { signal } = new AbortController();
  let output = "";
  const options = {
    file,
    pages: 1,
    ...sides,
    prefix: "/api/v1",
    parameters: [],
    showValues,
    json: true,
    isStrict,
    accepted: [],
    signal,
  };
  const report = await compareServers(options, (text) => {
    output += text;
  });
  return { report, output: output + printReport(report, file, showValues) };
}

const identify = ({ class: ofClass, kind, endpoint, field }: Group) => [ofClass, kind, endpoint, field].join(" | ");
const unexplained = (groups: readonly Group[]) =>
  groups
    .filter(({ explanation }) => explanation === null)
    .map(identify)
    .sort();
const expectedOf = (seeds: readonly Seed[]) =>
  seeds
    .flatMap(({ expected, also }) =>
      [expected, also ?? []].filter(({ length }) => length > 0).map((group) => group.join(" | ")),
    )
    .sort();

describe("--requests", () => {
  const seeds = [...formSeeds(people), ...dataSeeds(people)];

  test("finds no difference between equal servers", async () => {
    const sent: string[] = [];
    const record: Breakage = { ...NONE, changeRequest: ({ path }) => sent.push(path) };
    const { report } = await replay({ old: record, new: record, lines: [...log, ...log.slice(0, 7)] });
    expect(report).toMatchObject({ isSafe: true, groups: [], lines: 122, replayed: 115, repeated: 7, skipped: {} });
    // Each server is asked for the list once more, at the start.
    expect(report.requests).toEqual({ old: 231, new: 116 });
    expect(sent).toHaveLength(347);
    expect(sent.filter((path) => path.includes("key") || path.includes("prefix"))).toEqual([]);
    expect(report.removedParameters).toEqual({ api_key: 50 });
  });

  test("finds and classifies every seeded difference, and no others", async () => {
    const { report } = await replay({ new: breakWithSeeds(seeds) });
    expect(unexplained(report.groups)).toEqual(expectedOf(seeds));
  });

  test("explains all differences of five percent of people with other scores", async () => {
    const { report } = await replay({ oldPeople: changedPeople });
    expect(unexplained(report.groups)).toEqual([]);
    const explained = new Set(report.groups.map(({ explanation }) => explanation));
    expect(explained).toEqual(new Set(["newer", "moved"]));
  });

  test("five percent of people with other scores hide no seeded difference", async () => {
    const { report } = await replay({ oldPeople: changedPeople, new: breakWithSeeds(seeds) });
    expect(unexplained(report.groups)).toEqual(expectedOf(seeds));
  });

  test("an old server that disagrees with itself explains differences in the same fields only", async () => {
    let asked = 0;
    const unstable: Breakage = {
      changeResponse: (response) => {
        response.headers["access-control-allow-origin"] = "*";
        asked += 1;
        response.body = response.body.replace(/"connections_count":\d+/, `"connections_count":${asked}`);
        if (asked % 50 === 0) response.status = 500;
      },
    };
    const { report } = await replay({ old: unstable, new: breakWithSeeds(dataSeeds(people)) });
    expect(unexplained(report.groups)).toEqual(expectedOf(dataSeeds(people)));
    const noise = report.groups.filter(({ explanation }) => explanation === "noise").map(identify);
    expect(noise).toContain("data | value | single | passport.connections_count");
    expect(noise).toContain("form | two statuses | single | ");
  });

  test("pages that are shifted although no score is newer are unexplained", async () => {
    const shifted = {
      changeRequest: (request: { path: string }) => (request.path = request.path.replace("page=2", "page=3")),
    };
    const { report } = await replay({ new: { ...NONE, ...shifted }, lines: ["/api/v1/passports?page=2"] });
    expect(unexplained(report.groups)).toEqual([
      "data | person on another page | list | passports[]",
      "data | value | list | pagination.current_page",
    ]);
  });

  test("a person missing on the new server is unexplained, also if scores of others are newer", async () => {
    const oldPeople = [...changedPeople, inventPerson(randomFrom(5, 999), 999_999_999)];
    const { report } = await replay({ oldPeople, lines: [...log, "/api/v1/passports/999999999"] });
    expect(unexplained(report.groups)).toEqual([
      "data | person that NEW does not have | list | passports[]",
      "data | value | list | pagination.last_page",
      "data | value | list | pagination.total",
      "form | type | single | passport",
    ]);
  });

  test("a server that differs only by decisions is safe, unless --strict counts them", async () => {
    const unknown = (response: { status: number; body: string }, body: object) => {
      if (response.body !== '{"passport":null}') return;
      response.status = 404;
      response.body = JSON.stringify({ error: "Resource not found.", ...body });
    };
    const old: Breakage = { changeResponse: (response) => unknown(response, {}) };
    const decided: Breakage = {
      changeRequest: (request) => (request.path = request.path.replace("page=0", "page=1")),
      changeResponse: (response) => {
        const body = JSON.parse(response.body);
        body.passport_credentials?.sort(inDocumentedOrder);
        response.body = JSON.stringify(body);
        unknown(response, { code: "passport_not_found" });
      },
    };
    const lines = [...log, "/api/v1/passports?page=0", "/api/v1/passports/1"];
    const { report, output } = await replay({ old, new: decided, lines });
    expect(unexplained(report.groups)).toEqual([]);
    expect(report.isSafe).toBe(true);
    expect(new Set(report.groups.map(({ explanation }) => explanation))).toEqual(new Set(["decided"]));
    expect(new Set(report.groups.map(({ decision }) => decision))).toEqual(
      new Set(["docs/API.md#errors", "docs/API.md#get-credentials", "docs/API.md#quirks"]),
    );
    expect(output).toContain(`Differences that were decided: ${report.groups.length}`);
    expect(output).toContain("decided: docs/API.md#errors");
    expect((await replay({ old, new: decided, lines, isStrict: true })).report.isSafe).toBe(false);
  });

  test("lists the shapes of skipped paths, and counts requests for V1 under another prefix above 1 %", async () => {
    const wallet = `0x${"ab".repeat(20)}`;
    const others = [
      "/api/v2/passports/17",
      `/api/v2/passports/${wallet}`,
      "/api/v2/passport_credentials?passport_id=1",
    ];
    const skipped = [...others, "/", "/assets/app.3f2a.js", "/api/v1/health", "/holder/Ada Lovelace"];
    const { report, output } = await replay({ lines: [...log.slice(0, 100), ...skipped] });
    expect(report).toMatchObject({ isSafe: true, underOtherPrefix: 3 });
    expect(report.skippedPaths).toEqual({
      "/api/v2/passports/{id}": 1,
      "/api/v2/passports/{…}": 1,
      "/api/v2/passport_credentials": 1,
      "/": 1,
      "/assets/{…}": 1,
      "/api/v1/health": 1,
      "/holder/{…}": 1,
    });
    expect(output).toContain("Requests for V1 under another prefix, which were not compared: 3.");
    expect(output).not.toMatch(/Lovelace|abab/);
    // 1 of 101 lines is less than 1 %.
    const few = await replay({ lines: [...log.slice(0, 100), "/api/v2/passports/17"] });
    expect(few.report.underOtherPrefix).toBe(0);
  });

  test("the masked report contains no value of a person and no key; --show-values contains them", async () => {
    const oldPeople = changedPeople;
    const { report, output } = await replay({ oldPeople, new: breakWithSeeds(seeds) });
    expect(report.groups.length).toBeGreaterThan(30);
    const values = new Set([...people, ...changedPeople].flatMap(listValues));
    expect(values.size).toBeGreaterThan(1_500);
    expect([...values].filter((value) => output.includes(value))).toEqual([]);
    expect(output).not.toContain("sk_secret_key");
    expect(output).toContain("/api/v1/passports/{wallet}'");
    expect(output).toContain("/api/v1/passport_credentials?passport_id={passport_id}'");
    const shown = await replay({ oldPeople, new: breakWithSeeds(seeds), showValues: true });
    expect([...values].filter((value) => shown.output.includes(value)).length).toBeGreaterThan(30);
    expect(shown.output).not.toContain("sk_secret_key");
  });
});

const inDocumentedOrder = (a: Credential, b: Credential): number =>
  compareTexts(a.category, b.category) || b.score - a.score || compareTexts(a.id, b.id);

const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** The names, wallets, ids and texts of a person, and long numbers. */
const listValues = (value: unknown): string[] => {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(listValues);
  return typeof value === "string" || typeof value === "number"
    ? [String(value)].filter((text) => text.length > 4)
    : [];
};
