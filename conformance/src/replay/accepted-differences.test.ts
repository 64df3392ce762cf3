import { expect, test } from "vitest";
import type { HttpResponse } from "../client.ts";
import { ACCEPTABLE, type Acceptable, markAccepted } from "./accepted-differences.ts";
import { parseLine } from "./log-line.ts";
import { V1_PARAMETERS } from "./query.ts";
import { compareResponses } from "./responses.ts";

type Response = { status?: number; type?: string; body: unknown };

const toResponse = ({ status = 200, type = "application/json", body }: Response): HttpResponse => ({
  status,
  headers: { "content-type": type },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

/** What differs between two responses, without what is accepted. */
function differencesOf(path: string, old: Response, next: Response, accepted: readonly Acceptable[] = ACCEPTABLE) {
  const request = parseLine(path, new Set(V1_PARAMETERS), () => {});
  if (typeof request === "string") throw new Error(request);
  const [oldResponse, newResponse] = [toResponse(old), toResponse(next)];
  const differences = compareResponses(request.endpoint, oldResponse, newResponse);
  return markAccepted(differences, accepted, { request, old: oldResponse, next: newResponse })
    .filter(({ explanation }) => explanation === null)
    .map(({ kind, field }) => `${kind} ${field}`.trim());
}

const ONE = "/api/v1/passports/1";
const LIST = "/api/v1/passports";
const CREDENTIALS = "/api/v1/passport_credentials?passport_id=1";
const HTML = { status: 404, type: "text/html; charset=utf-8", body: "<!DOCTYPE html>\n<title>Not found</title>" };
const ERROR = { status: 404, body: { error: "Resource not found.", code: "not_found" } };

test("html-errors: an error as HTML on OLD, in the form of V1 on NEW, with the same status", () => {
  expect(differencesOf(ONE, HTML, ERROR, [])).toEqual(["header content-type", "body is JSON on one server only"]);
  expect(differencesOf(ONE, HTML, ERROR, ["html-errors"])).toEqual([]);
  expect(differencesOf(`HEAD ${ONE}`, { ...HTML, body: "" }, { ...ERROR, body: "" })).toEqual([]);
});

test.each<[near: string, old: Response, next: Response, differences: string[]]>([
  ["another status", HTML, { ...ERROR, status: 401 }, ["status"]],
  [
    "no error",
    { ...HTML, status: 200 },
    { ...ERROR, status: 200 },
    ["header content-type", "body is JSON on one server only"],
  ],
  ["plain text", { ...HTML, type: "text/plain" }, ERROR, ["header content-type", "body is JSON on one server only"]],
  ["HTML on NEW", ERROR, HTML, ["header content-type", "body is JSON on one server only"]],
  ["HTML on both", HTML, { ...HTML, body: "<p>" }, ["body that is not JSON"]],
  ["no code", HTML, { ...ERROR, body: { error: "No." } }, ["header content-type", "body is JSON on one server only"]],
  ["another error as JSON", { ...ERROR, body: { error: "No.", code: "not_found" } }, ERROR, ["value error"]],
])("html-errors: %s is a difference", (_, old, next, differences) => {
  expect(differencesOf(ONE, old, next)).toEqual(differences);
});

const passport = (fields: object): Response => ({ body: { passport: { passport_id: 1, ...fields } } });
const list = (fields: object): Response => ({ body: { passports: [{ passport_id: 1, ...fields }] } });

test("null-parts: null on OLD and 0 on NEW, in the component scores", () => {
  for (const part of ["activity_score", "identity_score", "skills_score"]) {
    for (const [path, make] of [[ONE, passport] as const, [LIST, list] as const]) {
      const compare = (old: unknown, next: unknown, accepted?: Acceptable[]) =>
        differencesOf(path, make({ [part]: old }), make({ [part]: next }), accepted);
      const field = `${path === ONE ? "passport" : "passports[]"}.${part}`;
      expect(compare(null, 0, ["null-parts"])).toEqual([]);
      expect(compare(null, 0, ["html-errors", "null-lists"])).toEqual([`type ${field}`]);
      expect(compare(null, 1)).toEqual([`type ${field}`]);
      expect(compare(null, "0")).toEqual([`type ${field}`]);
      expect(compare(0, null)).toEqual([`type ${field}`]);
    }
  }
  expect(differencesOf(ONE, passport({ score: null }), passport({ score: 0 }))).toEqual(["value passport.score"]);
  expect(differencesOf(ONE, passport({ connections_count: null }), passport({ connections_count: 0 }))).toEqual([
    "type passport.connections_count",
  ]);
  const credential = (score: number | null) => ({ body: { passport_credentials: [{ id: "a", score }] } });
  expect(differencesOf(CREDENTIALS, credential(null), credential(0))).toEqual(["type passport_credentials[].score"]);
});

test("null-lists: null on OLD and an empty list on NEW", () => {
  const tags = (value: unknown) => ({ passport_profile: { tags: value } });
  const credentials = (value: unknown) => ({ body: { passport_credentials: value } });
  const cases: [path: string, make: (value: unknown) => Response, field: string][] = [
    [ONE, (value) => passport({ verified_wallets: value }), "passport.verified_wallets"],
    [ONE, (value) => passport({ passport_socials: value }), "passport.passport_socials"],
    [ONE, (value) => passport(tags(value)), "passport.passport_profile.tags"],
    [LIST, (value) => list(tags(value)), "passports[].passport_profile.tags"],
    [CREDENTIALS, credentials, "passport_credentials"],
  ];
  for (const [path, make, field] of cases) {
    expect(differencesOf(path, make(null), make([]), ["null-lists"]), field).toEqual([]);
    expect(differencesOf(path, make(null), make([]), ["html-errors", "null-parts"])).toEqual([`type ${field}`]);
    expect(differencesOf(path, make(null), make([{ id: "a" }]))).toEqual([`type ${field}`]);
    expect(differencesOf(path, make([]), make(null))).toEqual([`type ${field}`]);
  }
  expect(differencesOf(LIST, { body: { passports: null } }, { body: { passports: [] } })).toEqual(["type passports"]);
});
