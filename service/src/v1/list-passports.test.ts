import type { PassportList } from "@credence/contract/answers.ts";
import { describe, expect, test } from "vitest";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { C_LOCALE, freshDatabase, testDatabase } from "#testing/database.ts";
import { person } from "#testing/people.ts";
import { scaled } from "#testing/scale.ts";
import { serveDatabase, serving } from "#testing/serving.ts";
import { expectError, expectV1Headers } from "#testing/v1-shape.ts";

const idsOf = (page: PassportList): number[] => page.passports.map((passport) => passport.passport_id);

async function read(url: string): Promise<PassportList & { link: string }> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expectV1Headers({ status: 200, headers: response.headers });
  return { ...((await response.json()) as PassportList), link: response.headers.get("link") ?? "" };
}

/** Reads every page in order, up to `last_page` of the latest response. */
async function readAll(list: string, perPage: number, between: (page: number) => Promise<unknown> = async () => {}) {
  const pages: PassportList[] = [];
  for (let page = 1; page <= (pages.at(-1)?.pagination.last_page ?? 1); page++) {
    pages.push(await read(`${list}?page=${page}&per_page=${perPage}`));
    await between(page);
  }
  return pages;
}

describe("GET /api/v1/passports: pages", async () => {
  const people = Array.from({ length: 203 }, (_, index) =>
    person(1000 - index, { score: index % 10 === 0 ? null : index % 7 }),
  );
  const inOrder = people
    .map(({ passport }) => passport)
    .toSorted((a, b) => (b.score ?? -1) - (a.score ?? -1) || a.passport_id - b.passport_id)
    .map((passport) => passport.passport_id);
  const { address, database } = await serving(people);
  const list = `${address}/api/v1/passports`;

  test.each([1, 7, 25, 100])("200: the pages of %d list each person once, in order", async (perPage) => {
    const pages = await readAll(list, perPage);
    expect(pages.flatMap(idsOf)).toEqual(inOrder);
    expect(pages.every(({ pagination }) => pagination.total === 203)).toBe(true);
  });

  test("200: the pages list each person once when the epoch changes between pages", async () => {
    const pages = await readAll(list, 25, () => refreshStanding(database));
    expect(pages.flatMap(idsOf)).toEqual(inOrder);
  });

  test("200: a page and its total come from one epoch during concurrent refreshes", async () => {
    let done = false;
    const next = { id: 5000 };
    const writer = (async () => {
      while (!done) {
        // Each epoch adds one person, at rank 1: the first id identifies the epoch and its total.
        await savePeople(database, [person(next.id, { score: next.id })]);
        await refreshStanding(database);
        next.id += 1;
      }
    })();
    const seen = new Set<number>();
    // Read until several epochs have been seen: a refresh may take longer than many reads.
    for (let index = 0; index < scaled(600, 100) || seen.size < 4; index++) {
      const page = await read(`${list}?per_page=1`);
      const first = idsOf(page)[0] ?? 0;
      const added = first >= 5000 ? first - 5000 + 1 : 0;
      expect(page.pagination.total).toBe(203 + added);
      seen.add(first);
    }
    done = true;
    await writer;
  });

  test.each([
    ["", 1, 25],
    ["?page=2", 2, 25],
    ["?page=002", 2, 25],
    ["?page=0", 1, 25],
    ["?page=-3", 1, 25],
    ["?page=1e1", 1, 25],
    ["?page=2.0", 1, 25],
    ["?page=%202", 1, 25],
    ["?page=9007199254740992", 1, 25],
    ["?page=abc", 1, 25],
    ["?page[]=2", 1, 25],
    ["?page=4&page=3", 3, 25],
    ["?per_page=0", 1, 1],
    ["?per_page=-7", 1, 1],
    ["?per_page=101", 1, 100],
    ["?per_page=99999999999999999999", 1, 100],
    ["?per_page=ten", 1, 25],
    ["?per_page=", 1, 25],
    ["?unknown=1&page=2&per_page=3&__proto__[x]=1&constructor=2", 2, 3],
  ])("200: %s returns page %d with %d per page", async (query, page, perPage) => {
    const response = await read(list + query);
    expect(response.pagination.current_page).toBe(page);
    expect(response.passports).toHaveLength(perPage);
    expect(response.pagination.last_page).toBe(Math.ceil(response.pagination.total / perPage));
  });

  test("200: a page past the end is empty, and current_page is the requested page", async () => {
    for (const page of [100, 9007199254740991]) {
      const response = await read(`${list}?page=${page}`);
      expect(response.passports).toEqual([]);
      expect(response.pagination.current_page).toBe(page);
      expect(response.link).toContain('rel="prev"');
      expect(response.link).not.toContain('rel="next"');
    }
  });

  test("200: links name the adjacent pages, with the recognized parameters only", async () => {
    const { link } = await read(`${list}?page=2&per_page=7&keyword=%20Person%201&junk=%3E`);
    expect(link).toContain('<https://v1.example/api/v1/passports?keyword=Person+1&page=1&per_page=7>; rel="prev"');
    expect(link).not.toContain("junk");
  });

  test("200: a keyword over the maximum length gets no page links", async () => {
    const response = await read(`${list}?page=2&keyword=${"(".repeat(8_000)}`);
    expect(response.pagination.total).toBe(0);
    expect(response.link.length).toBeLessThan(200);
  });

  test("200: an empty database has one page", async () => {
    const empty = await serving([]);
    expect(await read(`${empty.address}/api/v1/passports`)).toMatchObject({
      passports: [],
      pagination: { current_page: 1, last_page: 1, total: 0 },
    });
  });

  test("401: an unknown key", async () => {
    const response = await fetch(list, { headers: { "X-API-KEY": "anything" } });
    expectError({ status: response.status, headers: response.headers, body: await response.text() }, "unauthorized");
    expect(response.headers.get("www-authenticate")).toBe('ApiKey realm="v1", header="X-API-KEY"');
    expect(response.headers.get("cache-control")).toBe("no-store");
  });
});

const NAMES: [number, string | null][] = [
  [1, "José Muñoz"],
  [2, "Straße"],
  [3, "ΟΔΟΣ"],
  [4, "مُحَمَّد"],
  [5, "محمد"],
  [6, "王小明"],
  [7, "100%_sure\\"],
  [8, "sure"],
  [9, null],
  [10, "Łukasz İnönü"],
  [11, "ＦＵＬＬ ｗｉｄｔｈ"],
  [12, "a😀b"],
  [13, ""],
];

describe.each(["the default locale", "the C locale"])("GET /api/v1/passports: keyword, in %s", async (locale) => {
  const into = await (locale === "the C locale" ? freshDatabase(C_LOCALE) : testDatabase());
  const people = NAMES.map(([id, display_name]) => person(id, { display_name, main_wallet: `0x${"ab".repeat(20)}` }));
  const { address } = await serving(people, { into });
  const allIds = NAMES.map(([id]) => id);

  test.each([
    ["jose", [1]],
    ["  JOSÉ  ", [1]],
    ["e mu", [1]],
    ["STRASSE", [2]],
    ["strasse", [2]],
    ["οδος", [3]],
    ["οδοσ", [3]],
    ["محمد", [4, 5]],
    ["مُحَمَّد", [4, 5]],
    ["王", [6]],
    ["小", [6]],
    ["小明", [6]],
    ["%", [7]],
    ["_", [7]],
    ["\\", [7]],
    ["%_", [7]],
    ["sure", [7, 8]],
    ["lukasz", [10]],
    ["inonu", [10]],
    ["full WIDTH", [11]],
    ["😀", [12]],
    ["a😀", [12]],
    ["ab", []],
    ["0xabab", []],
    ["", allIds],
    ["   ", allIds],
    ["\u0301", allIds],
    ["\u0000", []],
    ["jose\u0000", []],
    ["x".repeat(101), []],
    ["\u0301".repeat(101), []],
    ["\u{10ffff}", []],
    ["'; drop table person; --", []],
  ] as [string, number[]][])("200: %j finds %j", async (keyword, expected) => {
    const response = await read(`${address}/api/v1/passports?per_page=100&keyword=${encodeURIComponent(keyword)}`);
    expect(idsOf(response)).toEqual(expected);
    expect(response.pagination.total).toBe(expected.length);
  });

  test.each(["%ed%a0%80", "%ff%fe", "%c3%28", "%", "%zz", "%00", "%f0%9f%98", "a%00b"])(
    "200: the bytes %s are accepted",
    async (bytes) => {
      await read(`${address}/api/v1/passports?keyword=${bytes}`);
    },
  );
});

describe("GET /api/v1/passports: a keyword with many matches", async () => {
  const { address, database } = await serving([]);
  await database.query(`
    insert into person (passport_id, folded_name, merged, credentials, line)
    select n, 'ann', false, 0, '{}' from generate_series(1, 10050) n;
    insert into passport_document select n, json_build_object('passport_id', n), '}', '', 0 from generate_series(1, 10050) n`);
  await refreshStanding(database);
  const list = `${address}/api/v1/passports?keyword=ann`;

  test("200: pages end at the 10,000th match, and the total is exact", async () => {
    const last = await read(`${list}&per_page=7&page=1429`);
    expect(idsOf(last)).toEqual([9997, 9998, 9999, 10000]);
    expect(last.pagination).toEqual({ current_page: 1429, last_page: 1429, total: 10050 });
    const past = await read(`${list}&per_page=7&page=1430`);
    expect(past.passports).toEqual([]);
    expect(past.pagination).toEqual({ current_page: 1430, last_page: 1429, total: 10050 });
    expect((await read(`${list}&page=9007199254740991`)).pagination.total).toBe(10050);
  });
});

describe("filters that V1 does not have", async () => {
  const { address, name, logs } = await serving([person(1), person(2)], { environment: { V1_ALSO_AT: "/api/v2" } });
  const FILTERED = [
    ...["passports?filter[twitter]=a", "passports?filter%5Btwitter%5D=a", "passports?passport_socials=farcaster:1"],
    ...[
      "passports?score_gte=80&verified=true&sort=score&page=1",
      "passports?wallet=",
      "passports?q=a&q=",
      "passports?id=1",
    ],
    ...["passport_credentials?id=1", "passport_credentials?wallet=0x1&page=1", "passports/?user.id=1&keyword=a"],
  ];
  const ACCEPTED = [
    ...[
      "passports?id=1&page=1",
      "passports?sort=score&order=desc&limit=2",
      "passports?utm_source=x&_=1&keyword=Person",
    ],
    ...["passport_credentials", "passport_credentials?passport_id=1&id=1", "passports/1?wallet=0x1"],
  ];
  const ask = (path: string, server = address, init: RequestInit = {}) => fetch(server + path, init);

  test.each(FILTERED)("400: %s", async (path) => {
    for (const prefix of ["/api/v1/", "//api/v2/"]) {
      const response = await ask(prefix + path);
      expectError(
        { status: response.status, headers: response.headers, body: await response.text() },
        "unknown_filter",
      );
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect((await ask(prefix + path, address, { method: "HEAD" })).status).toBe(400);
    }
  });

  test.each(ACCEPTED)("200: %s", async (path) => {
    expect((await ask(`/api/v1/${path}`)).status).toBe(200);
  });

  test("a wrong key comes first, and what was sent is neither in the response nor in the log", async () => {
    expect(
      (await ask("/api/v1/passports?wallet=0x5ec2e7", address, { headers: { "X-API-KEY": "wrong" } })).status,
    ).toBe(401);
    const body = await (await ask("/api/v1/passports?filter[0x5ec2e7]=0x5ec2e7")).text();
    expect(body).toContain("keyword");
    expect(body + logs.join("")).not.toContain("5ec2e7");
  });

  test("a refusal costs as much as a response", async () => {
    const { address: limited } = await serveDatabase(name, { environment: { RATE_LIMIT_ANONYMOUS: "10" } });
    const statuses = [];
    for (let index = 0; index < 3; index += 1) statuses.push((await ask("/api/v1/passports?q=a", limited)).status);
    expect(statuses).toEqual([400, 400, 429]);
  });
});
