import type { SinglePassport } from "@credence/contract/answers.ts";
import { describe, expect, test } from "vitest";
import { hide } from "#testing/decide.ts";
import { person } from "#testing/people.ts";
import { request, sendRaw } from "#testing/raw-http.ts";
import { serving } from "#testing/serving.ts";
import { expectError, expectV1Headers } from "#testing/v1-shape.ts";

const EVM = `0x${"aBcDeF0123".repeat(4)}`;
/** Not of a known chain, or that mean something to PostgreSQL. */
const ODD_WALLETS = ["alice.near", "a,b", 'say "hi"', "back\\slash", "{}", "NULL", "' or ''='", "🦊 1"];

describe("GET /api/v1/passports/{id}", async () => {
  const { address, database } = await serving([
    ...[1, 7, 16, 1000].map((id) => person(id)),
    person(9007199254740991),
    person(9007199254740990),
    person(20, { main_wallet: EVM }),
    person(21),
    ...ODD_WALLETS.map((main_wallet, index) => person(30 + index, { main_wallet })),
  ]);
  await hide(database, [21]);
  const passports = `${address}/api/v1/passports`;

  test.each([
    ["1", 1],
    ["007", 7],
    ["9007199254740991", 9007199254740991],
    [EVM, 20],
    [EVM.toLowerCase(), 20],
    [EVM.toUpperCase().replace("0X", "0x"), 20],
    ["1?passport_id=7", 1],
    ["1/", 1],
    ["%31", 1],
  ])("200: %s is passport %d", async (id, passportId) => {
    const response = await fetch(`${passports}/${id}`);
    expect(response.status).toBe(200);
    expectV1Headers({ status: 200, headers: response.headers });
    expect(((await response.json()) as SinglePassport).passport.passport_id).toBe(passportId);
    expect(response.headers.get("cache-control")).toBe(
      "public, max-age=60, stale-while-revalidate=60, stale-if-error=3600",
    );
    expect(response.headers.get("vary")).toBe("Accept-Encoding, X-API-KEY");
  });

  test("200: any text that a record lists, also at the same time as others", async () => {
    const asked = [...ODD_WALLETS, "a", EVM, "alice.near,a", "}"];
    const found = await Promise.all(
      asked.map(async (text) => (await fetch(`${passports}/${encodeURIComponent(text)}`)).json()),
    );
    expect((found as Partial<SinglePassport>[]).map(({ passport }) => passport?.passport_id)).toEqual([
      ...ODD_WALLETS.map((_, index) => 30 + index),
      ...[undefined, 20, undefined, undefined],
    ]);
  });

  // Sent as raw bytes: a client library would normalize some of them.
  test.each([
    "1e3",
    "0x10",
    "%201",
    "1%20",
    "1.0",
    "+1",
    "%2B1",
    "-1",
    "0",
    "9007199254740992",
    "9007199254740993",
    "99999999999999999999999999",
    "%EF%BC%91",
    "%D9%A1",
    "1%00",
    "%00",
    "1%2F",
    "1%2f..",
    "..%2f1",
    "1;",
    "1,7",
    "1%0a",
    "%zz",
    "%",
    "%f",
    "%ff",
    "%c0%b1",
    "%E0%80%B1",
    "null",
    "undefined",
    "NaN",
    "Infinity",
    "true",
    "[object%20Object]",
    "__proto__",
    "constructor",
    "'%20or%20'1'='1",
    `0x${"a".repeat(39)}`,
    `0x${"a".repeat(41)}`,
    EVM.replace("0x", "0x%20"),
    "21",
    "424242",
    "x".repeat(2000),
    "1".repeat(7000),
  ])("404: %s is not a passport", async (id) => {
    const response = await sendRaw(address, request(`/api/v1/passports/${id}`));
    expectError(response, "not_found");
    expect(response.headers["cache-control"]).toBe("public, max-age=30");
    expect(response.headers.vary).toBe("Accept-Encoding, X-API-KEY");
  });

  test("200: an empty id returns the list", async () => {
    const response = await sendRaw(address, request("/api/v1/passports/"));
    expect(response.status).toBe(200);
    expect(response.body).toMatch(/^\{"passports":\[/);
  });

  test("400: bytes that are invalid in a request target", async () => {
    expectError(await sendRaw(address, request("/api/v1/passports/１")), "bad_request");
  });

  test("414: a request target over 8 KiB", async () => {
    for (const id of ["1".repeat(10_000), "%31".repeat(3_000), `1?x=${"y".repeat(8_200)}`, `%zz${"y".repeat(8_200)}`]) {
      expectError(await sendRaw(address, request(`/api/v1/passports/${id}`)), "uri_too_long");
    }
  });

  test("431: a request target or headers over the limit of the parser", async () => {
    expectError(await sendRaw(address, request(`/api/v1/passports/${"1".repeat(20_000)}`)), "headers_too_large");
    expectError(
      await sendRaw(address, request("/api/v1/passports/1", [`X-Long: ${"y".repeat(20_000)}`])),
      "headers_too_large",
    );
  });

  test("401 takes precedence over 404 for any id", async () => {
    for (const id of ["1", "unknown", "%zz"]) {
      expectError(await sendRaw(address, request(`/api/v1/passports/${id}`, ["X-API-KEY: k"])), "unauthorized");
    }
    expect((await sendRaw(address, request("/api/v1/passports/1", ["X-API-KEY:"]))).status).toBe(200);
  });
});
