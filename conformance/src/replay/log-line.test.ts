import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Line, readLines } from "./lines.ts";
import { parseLine, readPaths, targetOf } from "./log-line.ts";
import { V1_PARAMETERS } from "./query.ts";
import { RecentRequests } from "./recent-requests.ts";

const SENT = new Set([...V1_PARAMETERS, "sort"]);
const parse = (text: string) => {
  const removed: string[] = [];
  const parsed = parseLine(text, SENT, (name) => removed.push(name));
  return typeof parsed === "string" ? parsed : [`${parsed.method} ${targetOf(parsed)}`, parsed.endpoint, ...removed];
};
const logged = (request: string) => `192.0.2.1 - - [01/Nov/2026:00:00:00 +0000] "${request}" 200 1 "-" "agent \\"x\\""`;

test.each([
  [logged("GET /api/v1/passports HTTP/1.1"), ["GET /api/v1/passports", "list"]],
  [`v1.example:443 ${logged("HEAD /api/v1/passports/7 HTTP/2.0")}`, ["HEAD /api/v1/passports/7", "single"]],
  [logged("GET http://a.example/x/api/v1/passports/0xAb?page=2"), ["GET /api/v1/passports/0xAb?page=2", "single"]],
  [logged("GET //api//v1/passports/ HTTP/1.1"), ["GET //api//v1/passports/", "list"]],
  [
    logged("GET /api/v1/passports?keyword=a b\\x22\\xC3\\xA9 HTTP/1.1"),
    ["GET /api/v1/passports?keyword=a%20b%22%C3%A9", "list"],
  ],
  [
    "/api/v1/passport_credentials?passport_id=7&sort=x",
    ["GET /api/v1/passport_credentials?passport_id=7&sort=x", "credentials"],
  ],
  ["HEAD /api/v1/passports/%zz", ["HEAD /api/v1/passports/%zz", "single"]],
  [
    "/api/v1/passports?api_key=s3cret&page=1&X-API-KEY=t&0123456789abc",
    ["GET /api/v1/passports?page=1", "list", "api_key", "X-API-KEY", "(masked)"],
  ],
  [
    "/api/v1/passports?%61pi_key=s3cret&&=x&secret",
    ["GET /api/v1/passports", "list", "api_key", "(masked)", "(masked)"],
  ],
  [logged("POST /api/v1/passports HTTP/1.1"), "method other than GET and HEAD"],
  [logged("GET /api/v1/users/7 HTTP/1.1"), "path of /api/v1 that V1 does not have"],
  [logged("GET /api/v1/passports/7/claims HTTP/1.1"), "path of /api/v1 that V1 does not have"],
  [logged("GET /favicon.ico?x=/api/v1/passports HTTP/1.1"), "path outside /api/v1"],
  [logged("GET /api/v2/passports HTTP/1.1"), "path outside /api/v1"],
  [logged("\\x16\\x03\\x01"), "not a request"],
  [logged("-"), "not a request"],
  ['{"path":"/api/v1/passports"}', "not a request"],
  ["#Fields: date time", "not a request"],
])("reads %s", (text, expected) => {
  expect(parse(text)).toEqual(expected);
});

test("never throws, and sends only the named parameters and bytes that a target can contain", () => {
  const piece = fc.constantFrom(
    "/api/v1/passports",
    "?",
    "&",
    "=",
    "keyword",
    "key",
    "%",
    "%41",
    " ",
    '"',
    "\\x",
    "\\",
    "é",
    "[] ",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 12 }), (pieces) => {
      const parsed = parseLine(Buffer.from(pieces.join("")).toString("latin1"), SENT, () => {});
      if (typeof parsed === "string") return;
      expect(targetOf(parsed)).toMatch(/^[!-~]+$/);
      const names = new URLSearchParams(parsed.query).keys();
      for (const name of names) expect(SENT).toContain(name);
    }),
  );
});

const collect = async (chunks: readonly string[]): Promise<Line[]> => {
  const stream = new PassThrough();
  for (const chunk of chunks) stream.write(chunk, "latin1");
  stream.end();
  const lines: Line[] = [];
  for await (const line of readLines(stream)) lines.push(line);
  return lines;
};

test("splits a stream into lines wherever its chunks end, and drops lines that are too long", async () => {
  const text = "one\r\n\ntwo\nthree";
  for (let index = 0; index <= text.length; index++) {
    const lines = await collect([text.slice(0, index), text.slice(index)]);
    expect(lines.map((line) => line.text)).toEqual(["one", "", "two", "three"]);
    expect(lines.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(lines.map(({ end }) => end)).toEqual([5, 6, 10, 16]);
  }
  const long = "x".repeat(40_000);
  const lines = await collect(["a\n", long, long, long, "\nb\n"]);
  expect(lines.map((line) => line.text)).toEqual(["a", null, "b"]);
});

test("remembers a bounded number of requests", () => {
  const recent = new RecentRequests(2);
  const known = ["a", "b", "a", "c", "b", "d", "e", "d", "a"].filter((request) => recent.add(request));
  expect(known).toEqual(["a", "d"]);
});

test("with another prefix, only its paths are replayed, as they are", () => {
  const parsePath = (path: string) => {
    const parsed = parseLine(path, SENT, () => {}, readPaths("/api/v2.1"));
    return typeof parsed === "string" ? parsed : targetOf(parsed);
  };
  expect(parsePath("/x//api/v2.1/passports/7?page=2")).toBe("//api/v2.1/passports/7?page=2");
  expect(parsePath("/api/v1/passports/7")).toBe("path outside /api/v2.1");
  expect(parsePath("/api/v2x1/passports/7")).toBe("path outside /api/v2.1");
  expect(parsePath("/api/v2.1/other")).toBe("path of /api/v2.1 that V1 does not have");
});
