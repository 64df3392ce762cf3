import { expect, test } from "vitest";
import type { HttpResponse } from "../client.ts";
import { headersOnlyOnOld } from "./headers.ts";
import { canonicalNumber } from "./json.ts";
import { compareResponses } from "./responses.ts";

const response = (body: string, status = 200, headers: HttpResponse["headers"] = {}) => ({ status, headers, body });
const compare = (old: HttpResponse, next: HttpResponse) =>
  compareResponses("single", old, next).map(({ class: ofClass, kind, field, explanation }) =>
    `${ofClass} ${kind} ${field}${explanation === null ? "" : ` ${explanation}`}`.trim(),
  );
const passport = (fields: string) => response(`{"passport":{${fields}}}`);

test.each<[string, string, string[]]>([
  ['"score":1', '"score":1', []],
  ['"score":1', '"score": 1', []],
  ['"main_wallet":"\\u0041"', '"main_wallet":"A"', []],
  ['"score":1', '"score":1.0', ["form number format passport.score"]],
  ['"score":1000', '"score":1e3', ["form number format passport.score"]],
  ['"score":12', '"score":13.0', ["data value passport.score", "form number format passport.score"]],
  ['"score":12', '"score":13.5', ["data value passport.score"]],
  ['"passport_id":9007199254740993', '"passport_id":9007199254740992', ["data value passport.passport_id"]],
  ['"score":null', '"score":5', ["data value passport.score"]],
  [
    '"passport_id":7,"score":1',
    '"passport_id":"7","score":2',
    ["data value passport.score", "form type passport.passport_id"],
  ],
  ['"passport_id":7,"score":1', '"passport_id":8,"score":2', ["data value passport.passport_id"]],
  ['"merged":null', '"merged":false', ["form type passport.merged"]],
  ['"score":1,"x":{"a":1,"b":2}', '"score":1,"x":{"b":2,"a":1.0}', []],
  ['"score":1,"x":1', '"score":1,"x":2', ["data value passport.x"]],
  ['"0xabc":1', '"0xabc":2', ["data value passport.(masked)"]],
  ['"verified_wallets":["a","b"]', '"verified_wallets":["b","a"]', ["form order of items passport.verified_wallets"]],
  ['"verified_wallets":["a"]', '"verified_wallets":["A"]', ["data value passport.verified_wallets"]],
  ['"verified_wallets":[]', '"verified_wallets":null', ["form type passport.verified_wallets"]],
  [
    `"verified_wallets":["0x${"a".repeat(40)}"]`,
    `"verified_wallets":["0x${"A".repeat(40)}"]`,
    ["form letter case of a wallet passport.verified_wallets"],
  ],
  [
    '"last_calculated_at":"2024-01-01T00:00:00.071Z"',
    '"last_calculated_at":"2024-01-01T00:00:00Z"',
    ["form date-time format passport.last_calculated_at"],
  ],
  // The fraction that the new server leaves out is no newer calculation, and explains nothing.
  [
    '"score":1,"last_calculated_at":"2024-01-01T00:00:00.071Z"',
    '"score":2,"last_calculated_at":"2024-01-01T00:00:00Z"',
    ["data value passport.score", "form date-time format passport.last_calculated_at"],
  ],
  [
    '"score":1,"merged":true,"last_calculated_at":"2024-01-02T00:00:00Z"',
    '"score":2,"merged":false,"last_calculated_at":"2024-01-01T00:00:00Z"',
    ["data value passport.last_calculated_at newer", "data value passport.merged", "data value passport.score newer"],
  ],
  [
    '"score":1,"last_calculated_at":"2024-01-01T00:00:00Z"',
    '"score":2,"last_calculated_at":null',
    ["data value passport.last_calculated_at newer", "data value passport.score newer"],
  ],
  [
    '"passport_socials":[{"source":"a","location":"x"},{"source":"b","location":"y"}]',
    '"passport_socials":[{"source":"b","location":"z"},{"source":"a","location":"x"}]',
    ["data value passport.passport_socials[].location", "form order of items passport.passport_socials"],
  ],
])("compares {%s} with {%s}", (old, next, expected) => {
  expect(compare(passport(old), passport(next)).sort()).toEqual(expected);
});

test("the text of an error belongs to the form", () => {
  const differences = compare(response('{"error":"Resource not found."}', 404), response('{"error":"No."}', 404));
  expect(differences).toEqual(["form value error"]);
});

test("compares headers that the old server sends", () => {
  const next = { "content-type": "application/json", link: '</a>; rel="next", </b>; rel="last"', extra: "1" };
  const old = { "content-type": "application/json; charset=utf-8", link: '</c>; rel="last"', server: "x" };
  expect(compare(response("{}", 200, old), response("{}", 200, next))).toEqual([]);
  const differences = compare(
    response("{}", 200, { ...old, etag: "1", link: '</c>; rel="prev"' }),
    response("{}", 200, next),
  );
  expect(differences).toEqual(["form header link", "form header etag missing"]);
});

test("lists other headers that only the old server sends, without those of caches and proxies", () => {
  const old = { date: "x", "cache-control": "x", "cf-ray": "1", etag: "x", "x-total": "1", "x-version": "2" };
  expect(headersOnlyOnOld(response("{}", 200, old), response("{}", 200, { "x-version": "3" }))).toEqual(["x-total"]);
});

test("a body that is nested too deeply is not parsed, instead of failing", () => {
  const deep = "[".repeat(200_000) + "]".repeat(200_000);
  expect(compare(response(deep), response("{}"))).toEqual(["form body is JSON on one server only"]);
});

test.each([
  ["1", "1.0"],
  ["100", "1e2"],
  ["0.5", "5E-1"],
  ["-0", "0.00e7"],
  ["1e999999999999", "10e999999999998"],
])("%s and %s are the same number", (a, b) => {
  expect(canonicalNumber(a)).toBe(canonicalNumber(b));
});
