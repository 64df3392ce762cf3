import { describe, expect, test } from "vitest";
import { inventDemoPeople } from "../../service/src/demo/invent/population.ts";
import { issueKey } from "../../service/src/keys/manage/issue-key.ts";
import { savePeople } from "../../service/src/people/write/save-people.ts";
import { erase } from "../../service/testing/decide.ts";
import { person } from "../../service/testing/people.ts";
import { serveDatabase, serving } from "../../service/testing/serving.ts";
import { type ClientOptions, createClient, type Notice, V1Error } from "./client.ts";

const demo = await serving(inventDemoPeople(), { environment: { PUBLIC_URL: "http://localhost:8080" } });
const baseUrl = demo.address;

/** With a long timeout, for a busy machine. */
const connect = (options: ClientOptions) => createClient({ timeoutMs: 120_000, ...options });

/** The failure of a call, which must fail. */
const failureOf = (call: Promise<unknown>): Promise<V1Error> =>
  call.then(
    (value) => expect.fail(`The call returned ${JSON.stringify(value)}.`),
    (error) => (error instanceof V1Error ? error : expect.fail(String(error))),
  );

describe("against a server with the demo data", () => {
  const client = connect({ baseUrl });

  test("finds people by number, string and wallet, in any case", async () => {
    const ada = await client.findPassport(1);
    expect(ada?.passport_profile.display_name).toBe("Ada Okafor");
    expect(await client.findPassport("1")).toEqual(ada);
    expect(await client.findPassport(ada?.main_wallet?.toUpperCase().replace("0X", "0x") ?? "")).toEqual(ada);
  });

  test.each([
    "",
    ".",
    "..",
    "/",
    "?",
    "#",
    "%",
    "%2e",
    "../1",
    "1/",
    "1 1",
    "1e0",
    "0x10",
    "\u0000",
    "\ud800",
    "💥",
    "⁦1",
  ])("%j finds nobody, and not another person", async (id) => {
    expect(await client.findPassport(id)).toBeNull();
    expect(await client.listCredentials(id)).toEqual([]);
  });

  test("trims wallets and ids", async () => {
    for (const id of [" 1", "1\n", "\t1\u00a0", "\ufeff1"]) {
      expect((await client.findPassport(id))?.passport_id).toBe(1);
      expect(await client.listCredentials(id)).not.toEqual([]);
    }
    expect(await client.findPassport(" \n")).toBeNull();
  });

  test.each([1.5, Number.NaN, Infinity, 2 ** 53, -(2 ** 53)])("the number %d is no id", async (id) => {
    await expect(client.findPassport(id)).rejects.toThrow(RangeError);
    await expect(client.listCredentials(id)).rejects.toThrow("Use a string");
  });

  test("lists pages and searches names", async () => {
    const { passports, pagination } = await client.listPassports({ page: 2, perPage: 10 });
    expect(passports).toHaveLength(10);
    expect(pagination).toMatchObject({ current_page: 2, total: 198 });
    const { passports: matches } = await client.listPassports({ keyword: "STRASSE-lodz" });
    expect(matches.map(({ passport_profile }) => passport_profile.display_name)).toEqual(["José Straße-Łódź"]);
    expect((await client.listPassports({ keyword: "&page=2#%?" })).pagination).toMatchObject({
      total: 0,
      current_page: 1,
    });
  });

  test.each([100, 7])("walks through all people once, %d on a page", async (perPage) => {
    const ids: number[] = [];
    for await (const { passport_id } of client.allPassports({ perPage })) ids.push(passport_id);
    expect(ids).toHaveLength(198);
    expect(new Set(ids).size).toBe(198);
    const { passports } = await client.listPassports({ perPage: 100 });
    expect(ids.slice(0, 100)).toEqual(passports.map(({ passport_id }) => passport_id));
  });

  test("lists credentials", async () => {
    const credentials = await client.listCredentials(1);
    expect(credentials.length).toBeGreaterThan(0);
    expect(credentials[0]).toMatchObject({ category: "Activity", id: expect.any(String) });
  });

  test("a base URL may have a path and a slash at its end", async () => {
    for (const url of [`${baseUrl}/`, `${baseUrl}//`, new URL(baseUrl)]) {
      expect((await connect({ baseUrl: url }).findPassport(1))?.passport_id).toBe(1);
    }
  });

  test("a wrong base URL is an error that names the URL, and never a missing passport", async () => {
    const elsewhere = connect({ baseUrl: `${baseUrl}/elsewhere` });
    for (const call of [elsewhere.findPassport(1), elsewhere.listPassports(), elsewhere.listCredentials(1)]) {
      const failure = await failureOf(call);
      expect(failure).toMatchObject({ code: "unknown_path", status: 400, requestId: expect.any(String) });
      expect(failure.message).toContain(`${baseUrl}/elsewhere/api/v1/passport`);
    }
  });

  test("a parameter that V1 does not have is an error that names the URL, and is not repeated", async () => {
    const urls: string[] = [];
    const filtering: typeof fetch = (url, init) => {
      urls.push(`${url}?wallet=1`);
      return fetch(`${url}?wallet=1`, init);
    };
    const failure = await failureOf(connect({ baseUrl, fetch: filtering }).listPassports());
    expect(failure).toMatchObject({ code: "unknown_filter", status: 400, requestId: expect.any(String) });
    expect(failure.message).toContain(`Requested: ${baseUrl}/api/v1/passports`);
    expect(urls).toHaveLength(1);
  });

  test.each([undefined, null, {}, [1], true, 1n])("%o is no id, and is not sent", async (id) => {
    await expect(client.findPassport(id as never)).rejects.toThrow(TypeError);
    await expect(client.listCredentials(id as never)).rejects.toThrow("Expected a passport id or a wallet address.");
  });

  test("a page that is no whole number is an error", async () => {
    for (const page of [Number.NaN, 1.5, Infinity, "2" as never]) {
      await expect(client.listPassports({ page })).rejects.toThrow("is not a whole number");
      await expect(client.listPassports({ perPage: page })).rejects.toThrow(RangeError);
    }
  });

  test.each([
    [{ error: "Resource not found." }, null],
    [{ error: "Resource not found.", code: "not_found" }, null],
    [{ error: "Not found." }, "unexpected_response"],
    [{ error: "Resource not found.", code: "other" }, "unexpected_response"],
    [{ message: "Not Found" }, "unexpected_response"],
    ["<h1>404</h1>", "unexpected_response"],
    [null, "unexpected_response"],
  ])("a 404 with the body %j: %s", async (body, code) => {
    const fetch = async () => Response.json(body, { status: 404 });
    const call = connect({ baseUrl: "http://v1.example", fetch }).findPassport(7);
    if (code === null) expect(await call).toBeNull();
    else {
      const failure = await failureOf(call);
      expect(failure.code).toBe(code);
      expect(failure.message).toContain("http://v1.example/api/v1/passports/7");
    }
  });
});

describe("keys", () => {
  test("a valid key is sent, another one is unauthorized, with the id of the request", async () => {
    const { token } = await issueKey(demo.database, { label: "test", contact: "test", expiresAt: null });
    const { address } = await serveDatabase(demo.name, { environment: { AUTH_MODE: "required" } });
    expect(await connect({ baseUrl: address, apiKey: token }).findPassport(1)).not.toBeNull();
    for (const apiKey of [undefined, "", "unknown"]) {
      const error = await failureOf(connect({ baseUrl: address, apiKey }).findPassport(1));
      expect(error).toMatchObject({ code: "unauthorized", status: 401, requestId: expect.stringMatching(/.+/) });
      expect(error.message).toBe("The API key is missing, malformed, unknown, expired or revoked.");
    }
  });

  test.each(["key\n", "a b", "schlüssel"])("the key %j is rejected before it is sent, and not printed", (apiKey) => {
    expect(() => createClient({ baseUrl, apiKey })).toThrow(/^apiKey contains a space, a line break or a non-ASCII/);
  });

  test("clients share no stored responses", async () => {
    const sent: (string | null)[] = [];
    const spy: typeof fetch = (url, init) => {
      sent.push(new Headers(init?.headers).get("if-none-match"));
      return fetch(url, { ...init, headers: {} });
    };
    for (const apiKey of ["first", "second"]) {
      const client = connect({ baseUrl, apiKey, fetch: spy });
      await client.findPassport(1);
      await client.findPassport(1);
    }
    expect(sent).toEqual([null, expect.any(String), null, expect.any(String)]);
  });
});

test.each([
  "",
  "v1.example",
  "localhost:8080",
  "ftp://v1.example",
  "http://user@v1.example",
  "http://v1.example/?a=1",
  "http://v1.example/#a",
])("the base URL %j is rejected", (wrong) => {
  expect(() => createClient({ baseUrl: wrong })).toThrow(TypeError);
});

test.each([
  ["http://v1.example/api/v1", "http://v1.example"],
  ["http://v1.example/api/v1/", "http://v1.example"],
  ["http://v1.example:8080//api/v2//", "http://v1.example:8080"],
  ["https://v1.example/scores/api/v12", "https://v1.example/scores"],
])("the base URL %s is rejected, and the error says that it is %s", (wrong, right) => {
  expect(() => createClient({ baseUrl: wrong })).toThrow(new TypeError(`baseUrl must be ${right}, without /api/v1.`));
  expect(() => createClient({ baseUrl: right })).not.toThrow();
});

test("waits for a rate limit as long as the server asks, and reports the limit once", async () => {
  const { address } = await serveDatabase(demo.name, { environment: { RATE_LIMIT_ANONYMOUS: "20" } });
  const statuses: number[] = [];
  const spy: typeof fetch = async (...args) => {
    const response = await fetch(...args);
    statuses.push(response.status);
    return response;
  };
  const notices: Notice[] = [];
  const client = connect({ baseUrl: address, fetch: spy, onNotice: (notice) => notices.push(notice) });
  // A search costs 10 points, and 2 points are available again each second.
  const search = () => fetch(`${address}/api/v1/passports?keyword=a`);
  while ((await search()).status !== 429);
  expect(await client.findPassport(1)).not.toBeNull();
  expect(await client.findPassport(2)).not.toBeNull();
  expect(statuses.at(-1)).toBe(200);
  const limits = notices.filter(({ kind }) => kind === "rate-limit");
  expect(limits[0]).toMatchObject({ limit: 20, windowSeconds: 10 });
  expect(new Set(limits.map((notice) => notice.kind === "rate-limit" && notice.isLow)).size).toBe(limits.length);
});

describe("the life cycle", () => {
  test("reports the dates once, also from errors", async () => {
    const environment = { V1_SUNSET_AT: "2999-12-31", V1_SUCCESSOR_URL: "https://v2.example/" };
    const { address } = await serveDatabase(demo.name, { environment });
    const notices: Notice[] = [];
    const client = connect({ baseUrl: address, onNotice: (notice) => notices.push(notice) });
    await client.findPassport("nobody");
    await client.listPassports();
    await client.listCredentials(1);
    expect(notices).toEqual([
      {
        kind: "deprecation",
        deprecatedAt: new Date("2025-03-31T00:00:00Z"),
        sunsetAt: new Date("2999-12-31T00:00:00Z"),
        links: {
          deprecation: "https://v1.example/deprecation",
          sunset: "https://v1.example/deprecation",
          "successor-version": "https://v2.example/",
        },
      },
    ]);
  });

  test.each([
    ["gone", { V1_SUNSET_AT: "2026-01-01" }],
    ["brownout", { V1_SUNSET_AT: "2999-12-31", V1_BROWNOUTS: `${hoursFromNow(-1)}/${hoursFromNow(1)}` }],
  ])("410 with the code %s is an error of every call", async (code, environment) => {
    const { address } = await serveDatabase(demo.name, { environment });
    const client = connect({ baseUrl: address });
    for (const call of [client.findPassport(1), client.listPassports(), client.listCredentials(1)]) {
      const { retryAfterMs, ...error } = await failureOf(call);
      expect(error).toMatchObject({ code, status: 410 });
      expect(retryAfterMs === null).toBe(code === "gone");
    }
  });
});

function hoursFromNow(hours: number): string {
  return `${new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19)}Z`;
}

test.each([429, 503])("a stored response is used again after a %d", async (status) => {
  const tags: (string | null)[] = [];
  const busy = Response.json({ error: "Later.", code: status === 429 ? "rate_limited" : "unavailable" }, { status });
  busy.headers.set("retry-after", "0");
  const fetch: typeof globalThis.fetch = async (url, init) => {
    tags.push(new Headers(init?.headers).get("if-none-match"));
    return tags.length === 2 ? busy : globalThis.fetch(url, init);
  };
  const client = connect({ baseUrl, fetch });
  const first = await client.findPassport(1);
  expect(await client.findPassport(1)).toEqual(first);
  expect(tags).toEqual([null, expect.any(String), tags[1]]);
});

test("an unchanged response is sent once, and a changed or removed one is noticed", async () => {
  const { address, database } = await serving([person(1), person(2)]);
  const statuses: number[] = [];
  const spy: typeof fetch = async (...args) => {
    const response = await fetch(...args);
    statuses.push(response.status);
    return response;
  };
  const client = connect({ baseUrl: address, fetch: spy, etagEntries: 1 });
  const first = await client.findPassport(1);
  if (first !== null) first.passport_profile.tags.push("changed by the caller");
  const second = await client.findPassport(1);
  expect(second?.passport_profile.tags).not.toContain("changed by the caller");
  await client.findPassport(2);
  await client.findPassport(1);
  expect(statuses).toEqual([200, 304, 200, 200]);
  await savePeople(database, [person(1, { display_name: "Another name" })]);
  expect((await client.findPassport(1))?.passport_profile.display_name).toBe("Another name");
  await erase(database, [1]);
  expect(await client.findPassport(1)).toBeNull();
  expect(statuses.slice(4)).toEqual([200, 404]);
});
