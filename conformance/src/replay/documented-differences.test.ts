import { describe, expect, test } from "vitest";
import type { HttpResponse } from "../client.ts";
import { markDecided } from "./documented-differences.ts";
import { parseLine } from "./log-line.ts";
import { V1_PARAMETERS } from "./query.ts";
import { compareResponses } from "./responses.ts";

const response = (body: unknown, status = 200): HttpResponse => ({ status, headers: {}, body: JSON.stringify(body) });

/** The differences of two responses to a path: what they are, and how they are explained. */
function compare(path: string, old: HttpResponse, next: HttpResponse): string[] {
  const request = parseLine(path, new Set(V1_PARAMETERS), () => {});
  if (typeof request === "string") throw new Error(request);
  return markDecided(compareResponses(request.endpoint, old, next), request, old, next).map(
    ({ kind, field, explanation, decision = "" }) => `${kind} ${field}: ${explanation} ${decision}`.trim(),
  );
}

const item = (id: string, score: number, category = "Skills") => ({ id, category, score });
const credentials = (...passport_credentials: object[]) => response({ passport_credentials });
const [A, B, C] = [item("a", 9), item("b", 5), item("c", 5)];
const CREDENTIALS = "/api/v1/passport_credentials?passport_id=1";

describe("the order of credentials", () => {
  const order = "order of items passport_credentials";
  test("is decided if both servers have the same ones", () => {
    expect(compare(CREDENTIALS, credentials(C, A, B), credentials(A, B, C))).toEqual([
      `${order}: decided docs/API.md#get-credentials`,
    ]);
  });

  test("is real if one is missing, or if NEW has another order than documented", () => {
    expect(compare(CREDENTIALS, credentials(C, B, A), credentials(A, B))).toContain(`${order}: null`);
    expect(compare(CREDENTIALS, credentials(A, B, C), credentials(B, A, C))).toEqual([`${order}: null`]);
    expect(compare(CREDENTIALS, credentials(A, B, C), credentials(A, C, B))).toEqual([`${order}: null`]);
  });

  test("explains no value of a credential", () => {
    const differences = compare(CREDENTIALS, credentials(C, A, B), credentials(A, { ...B, max_score: 1 }, C));
    expect(differences).toContain("additional field passport_credentials[].max_score: null");
  });
});

describe("`code` in errors", () => {
  const field = "additional field code";
  const next = (error: string, status = 404) => response({ error, code: "passport_not_found" }, status);
  test("is decided if status and error are the same", () => {
    expect(
      compare("/api/v1/passports/1", response({ error: "Resource not found." }, 404), next("Resource not found.")),
    ).toEqual([`${field}: decided docs/API.md#errors`]);
  });

  test("is real with another error, with another status, and in a response that is no error", () => {
    const old = response({ error: "Resource not found." }, 404);
    expect(compare("/api/v1/passports/1", old, next("No."))).toContain(`${field}: null`);
    expect(compare("/api/v1/passports/1", old, next("Resource not found.", 400))).toEqual(["status : null"]);
    expect(compare("/api/v1/passports/1", response({ error: "a" }), response({ error: "a", code: "b" }))).toEqual([
      `${field}: null`,
    ]);
    const other = response({ error: "Resource not found.", codes: 1 }, 404);
    expect(compare("/api/v1/passports/1", old, other)).toEqual(["additional field codes: null"]);
  });
});

describe("fields outside V1", () => {
  const passport = (fields: object, profile: object = {}) =>
    response({ passport: { score: 1, ...fields, passport_profile: { bio: null, ...profile }, merged: false } });
  const PATH = "/api/v1/passports/1";
  const link = "decided docs/API.md#fields";

  test("are decided if only OLD sends them, at any level", () => {
    const old = passport({ created_at: "2020", user: { email: "a" } }, { name: "Ada" });
    expect(compare(PATH, old, passport({}))).toEqual([
      `missing field passport.created_at: ${link}`,
      `missing field passport.user: ${link}`,
      `missing field passport.passport_profile.name: ${link}`,
    ]);
    const list = (item: object) => response({ passports: [{ passport_id: 1, ...item }] });
    expect(compare("/api/v1/passports", list({ verified: true }), list({}))).toEqual([
      `missing field passports[].verified: ${link}`,
    ]);
    expect(compare(CREDENTIALS, credentials({ ...A, created_at: 1 }), credentials(A))).toEqual([
      `missing field passport_credentials[].created_at: ${link}`,
    ]);
  });

  test("are real if only NEW sends them, if the field is one of V1, and in the body itself", () => {
    expect(compare(PATH, passport({}), passport({ verified: true }))).toEqual([
      "additional field passport.verified: null",
    ]);
    expect(compare(PATH, passport({ human_checkmark: true }), passport({}))).toEqual([
      "missing field passport.human_checkmark: null",
    ]);
    expect(compare(PATH, passport({}, { tags: [] }), passport({}))).toEqual([
      "missing field passport.passport_profile.tags: null",
    ]);
    expect(compare(PATH, response({ passport: {}, meta: 1 }), response({ passport: {} }))).toEqual([
      "missing field meta: null",
    ]);
    const list = (pagination: object) => response({ passports: [], pagination });
    expect(compare("/api/v1/passports", list({ total: 0, last_page: 1 }), list({ last_page: 1 }))).toEqual([
      "missing field pagination.total: null",
    ]);
    expect(compare("/api/v1/passports", list({ total: 0, last_page: 1 }), list({ last_page: 1, total: 0 }))).toEqual([
      "order of fields pagination: null",
    ]);
  });

  test("their place is decided; the order of V1's fields is real", () => {
    const old = response({ passport: { verified: true, score: 1, merged: false } });
    const moved = response({ passport: { score: 1, verified: true, merged: false } });
    const reordered = response({ passport: { merged: false, verified: true, score: 1 } });
    expect(compare(PATH, old, moved)).toEqual([`order of fields passport: ${link}`]);
    expect(compare(PATH, old, reordered)).toEqual(["order of fields passport: null"]);
  });
});

describe("types and letter case", () => {
  const link = "decided docs/API.md#fields";
  const counts = (follower_count: unknown) =>
    response({ passport: { passport_socials: [{ source: "a", follower_count }] } });
  const field = "passport.passport_socials[].follower_count";

  test("a count that is a number is decided if NEW sends the same digits", () => {
    expect(compare("/api/v1/passports/1", counts(1024), counts("1024"))).toEqual([`type ${field}: ${link}`]);
    expect(compare("/api/v1/passports/1", counts(1024), counts("1025"))).toEqual([`type ${field}: null`]);
    expect(compare("/api/v1/passports/1", counts("1024"), counts(1024))).toEqual([`type ${field}: null`]);
  });

  test("a number that is a text is decided if NEW sends the same number", () => {
    const score = (value: unknown) => response({ passport: { score: value } });
    expect(compare("/api/v1/passports/1", score("17.50"), score(17.5))).toEqual([`type passport.score: ${link}`]);
    expect(compare("/api/v1/passports/1", score("17.50"), score(17.51))).toEqual([
      `type passport.score: ${link}`,
      "value passport.score: null",
    ]);
    expect(compare("/api/v1/passports/1", score(17.5), score("17.5"))).toEqual(["type passport.score: null"]);
  });

  test("the letter case of a wallet is decided if NEW sends lower case", () => {
    const [mixed, lower] = [`0x${"aB".repeat(20)}`, `0x${"ab".repeat(20)}`];
    const wallets = (main_wallet: string, ...verified_wallets: string[]) =>
      response({ passport: { main_wallet, verified_wallets } });
    expect(compare("/api/v1/passports/1", wallets(mixed, mixed), wallets(lower, lower))).toEqual([
      `letter case of a wallet passport.main_wallet: ${link}`,
      `letter case of a wallet passport.verified_wallets: ${link}`,
    ]);
    expect(
      compare("/api/v1/passports/1", wallets(lower, mixed), wallets(mixed, mixed.toUpperCase().replace("X", "x"))),
    ).toEqual([
      "letter case of a wallet passport.main_wallet: null",
      "letter case of a wallet passport.verified_wallets: null",
    ]);
  });
});

const page = (people: number, current_page: number, last_page = 4) =>
  response({
    passports: Array.from({ length: people }, (_, index) => ({ passport_id: index + 1 })),
    pagination: { current_page, last_page, total: 100 },
  });

describe("parameters of the list that are out of range", () => {
  test.each(["page=0", "page=-1", "page=abc", "page=", "page=2&page=0"])(
    "%s is decided if NEW sends the first page",
    (query) => {
      const differences = compare(`/api/v1/passports?${query}`, page(0, 0), page(25, 1));
      expect(differences.length).toBeGreaterThan(0);
      expect(differences.every((text) => text.endsWith(": decided docs/API.md#quirks"))).toBe(true);
      expect(compare(`/api/v1/passports?${query}`, response({ error: "x" }, 500), page(25, 1))).toEqual([
        "status : decided docs/API.md#quirks",
      ]);
    },
  );

  test("is real if NEW sends another page or no page, and for a page within the range", () => {
    expect(compare("/api/v1/passports?page=0", page(25, 1), page(25, 0))).toEqual([
      "value pagination.current_page: null",
    ]);
    expect(compare("/api/v1/passports?page=0", page(25, 1), response({ error: "x" }, 400))).toEqual(["status : null"]);
    expect(compare("/api/v1/passports?page=2", response({ error: "x" }, 500), page(25, 1))).toEqual(["status : null"]);
    expect(compare("/api/v1/passports?page=0&page=2", page(25, 2), page(25, 1))).toEqual([
      "value pagination.current_page: null",
    ]);
  });

  test.each([
    ["per_page=0", 1],
    ["per_page=-5", 1],
    ["per_page=1000", 100],
    ["per_page=many", 25],
  ])("%s is decided if NEW sends %i people", (query, size) => {
    const path = `/api/v1/passports?${query}`;
    const differences = compare(path, page(10, 1), page(size, 1));
    expect(differences.length).toBeGreaterThan(0);
    expect(differences.every((text) => text.endsWith(": decided docs/API.md#quirks"))).toBe(true);
    expect(compare(path, page(10, 1), page(size + 1, 1)).every((text) => text.endsWith(": null"))).toBe(true);
  });

  test("a size within the range explains nothing", () => {
    const differences = compare("/api/v1/passports?per_page=10", page(10, 1), page(25, 1));
    expect(differences.length).toBeGreaterThan(0);
    expect(differences.every((text) => text.endsWith(": null"))).toBe(true);
  });
});

const person = (id: number) => ({
  activity_score: 1.5,
  score: 100 - id,
  last_calculated_at: "2026-01-01T00:00:00.000Z",
  main_wallet: `0x${String(id).padStart(40, "a")}`,
  passport_id: id,
  passport_profile: { bio: "b", tags: ["x", "y"] },
  verified_wallets: [`0x${String(id).padStart(40, "b")}`],
});
const social = { follower_count: "5", source: "a" };
const detail = { ...person(1), merged: false, passport_socials: [social] };
const credential = (id: string, score: number) => ({ id, category: "Skills", max_score: 10, score, name: "n" });
const HEADERS = { "content-type": "application/json", deprecation: "@1", etag: 'W/"a"' };
const people = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => person(from + index));
const list = (passports: object[], current_page: number, last_page: number) => ({
  passports,
  pagination: { current_page, last_page, total: 1_000 },
});
const two = (body: object) => ({ passport_credentials: body });
const EVM = `0x${"aB".repeat(20)}`;

/** An exchange for each decision, in which it is all that differs: path, body of OLD, body of NEW, status. */
const DECIDED: Record<string, [string, object, object, number?]> = {
  "order of credentials": [
    CREDENTIALS,
    two([credential("b", 1), credential("a", 2)]),
    two([credential("a", 2), credential("b", 1)]),
  ],
  "code of errors": ["/api/v1/passports/1", { error: "No." }, { error: "No.", code: "x" }, 404],
  "first page": ["/api/v1/passports?page=0", list(people(1, 25), 0, 40), list(people(1, 25), 1, 40)],
  "size of a page": ["/api/v1/passports?per_page=1000", list(people(1, 200), 1, 5), list(people(1, 100), 1, 10)],
  "smaller page": ["/api/v1/passports?per_page=0", list(people(1, 25), 1, 40), list(people(1, 1), 1, 1000)],
  "field outside V1": ["/api/v1/passports/1", { passport: { ...detail, user: {} } }, { passport: detail }],
  "order of fields": [
    "/api/v1/passports/1",
    { passport: { verified: true, ...detail } },
    { passport: { ...detail, verified: true } },
  ],
  "count as a number": [
    "/api/v1/passports/1",
    { passport: { ...detail, passport_socials: [{ ...social, follower_count: 5 }] } },
    { passport: detail },
  ],
  "number as a text": ["/api/v1/passports/1", { passport: { ...detail, score: "99" } }, { passport: detail }],
  "letter case of a wallet": [
    "/api/v1/passports/1",
    { passport: { ...detail, main_wallet: EVM } },
    { passport: { ...detail, main_wallet: EVM.toLowerCase() } },
  ],
};

type Damage = (response: HttpResponse) => HttpResponse;
const inBody =
  (change: (body: string) => string): Damage =>
  (response) => ({ ...response, body: change(response.body) });
const inHeaders =
  (headers: object): Damage =>
  (response) => ({ ...response, headers: JSON.parse(JSON.stringify({ ...response.headers, ...headers })) });
/** Replaces the first match, in whichever shape has it. */
const replace = (pattern: RegExp, by: string): Damage => inBody((body) => body.replace(pattern, by));

const DAMAGES: Record<string, Damage> = {
  status: (response) => ({ ...response, status: 503 }),
  "content type": inHeaders({ "content-type": "text/html" }),
  "no Deprecation": inHeaders({ deprecation: undefined }),
  "no ETag": inHeaders({ etag: undefined }),
  "no JSON": inBody(() => "<html>"),
  "another type of body": inBody(() => "[]"),
  "score as a text": replace(/"(activity_|max_)?score":([\d.]+)/, '"$1score":"$2"'),
  "score as null": replace(/"(activity_|max_)?score":([\d.]+)/, '"$1score":null'),
  "another score": replace(/"(activity_|max_)?score":([\d.]+)/, '"$1score":77'),
  "another form of a number": replace(/"(activity_|max_)?score":([\d.]+)/, '"$1score":$2e0'),
  "a missing field": replace(/"(activity_score|max_score)":[\d.]+,/, ""),
  "an additional field": replace(/"(activity_score|max_score)"/, '"added":1,"$1"'),
  "a field twice": replace(/"(activity_score|max_score)"/, '"$1":1,"$1"'),
  "fields in another order": replace(/"(activity_score|max_score)":([\d.]+),("\w+":("[^"]*"|[\d.]+))/, '$3,"$1":$2'),
  "another wallet": replace(/"main_wallet":"0x./, '"main_wallet":"0x9'),
  "wallets in capitals": replace(
    /"verified_wallets":\["0x(\w+)"/,
    '"verified_wallets":["0xABABABABABABABABABABABABABABABABABABABAB"',
  ),
  "another date": replace(/2026-01-01T00:00:00/, "2027-01-01T00:00:00"),
  "another form of a date": replace(/2026-01-01T00:00:00.000Z/, "2026-01-01 00:00:00"),
  "another text": replace(/"(bio|name|error)":"\w+/, '"$1":"changed'),
  "another order of tags": replace(/"x","y"/, '"y","x"'),
  "another total": replace(/"total":\d+/, '"total":7'),
  "total as a text": replace(/"total":(\d+)/, '"total":"$1"'),
  "no pagination": replace(/,"pagination":.*/, "}"),
  "a person twice": replace(/(\{"activity_score".*?"\]\}),/, "$1,$1,"),
  "a person between others is missing": replace(/(\{"activity_score".*?"\]\}),(\{"activity_score".*?"\]\}),/, "$1,"),
  "another person": replace(/"passport_id":\d+/, '"passport_id":4711'),
  "an item is missing": replace(/\[\{"id".*?\},/, "["),
  "no profile": replace(/"passport_profile":\{.*?\}/, '"passport_profile":null'),
};

describe("every kind of damage beside every decision is reported", () => {
  for (const [decision, [path, oldBody, newBody, status = 200]] of Object.entries(DECIDED)) {
    const old = { status, headers: HEADERS, body: JSON.stringify(oldBody) };
    const next = { status, headers: HEADERS, body: JSON.stringify(newBody) };

    test(`${decision}: decided`, () => {
      const found = compare(path, old, next);
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter((text) => !text.includes(": decided "))).toEqual([]);
    });

    const applicable = Object.entries(DAMAGES).filter(
      ([, seed]) => JSON.stringify(seed(next)) !== JSON.stringify(next),
    );
    test.each(applicable)(`${decision}: %s`, (_, seed) => {
      expect(compare(path, old, seed(next)).filter((text) => text.includes(": null"))).not.toEqual([]);
    });
  }
});
