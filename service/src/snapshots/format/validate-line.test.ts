import type { Person } from "@credence/contract/person.ts";
import { LIMITS } from "@credence/contract/person-limits.ts";
import { describe, expect, test } from "vitest";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { credential, person } from "#testing/people.ts";
import { findFaults } from "./find-faults.ts";
import { readPerson } from "./validate-line.ts";

const read = (text: string | Buffer, number = 2) => readPerson({ number, bytes: Buffer.from(text), tooLong: false });
/** Reads an ordinary person with one value changed, or removed if `value` is undefined. */
function readWith(path: string, value: unknown) {
  const changed = structuredClone(person(7, {}, { credentials: [credential("a"), credential("b")] }));
  const keys = path.split(".");
  const last = keys.pop() as string;
  const part = keys.reduce(
    (at, key) => at[key] as Record<string, unknown>,
    changed as unknown as Record<string, unknown>,
  );
  part[last] = value;
  return read(JSON.stringify(changed));
}

describe("readPerson", () => {
  test("accepts all people of the demo unchanged", () => {
    for (const demo of inventDemoPeople()) expect(read(JSON.stringify(demo))).toEqual({ person: demo, refusal: null });
  });

  test("ignores a byte order mark in line 1 and a carriage return", () => {
    const line = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(`${JSON.stringify(person(7))}\r`)]);
    expect(read(line, 1).person?.passport.passport_id).toBe(7);
    expect(read(line, 2).refusal?.reason).toMatch(/^is not JSON/);
  });

  test.each([
    ["a string as a score", "passport.score", "6", /number or null/],
    ["a score below zero", "passport.activity_score", -1, />= 0/],
    ["a score above the maximum", "credentials.0.score", 1e16, /<= 1000000000000000/],
    ["null in a field that is never null", "credentials.1.name", null, /string/],
    ["a fraction as an id", "passport.passport_id", 1.5, /integer/],
    ["an id above 2^53", "passport.passport_id", 2 ** 53, /<= 9007199254740991/],
    ["an unknown field", "passport.user", true, /not a known field/],
    ["an unknown top-level field", "extra", 1, /not a known field/],
    ["an array as a passport", "passport", [], /object/],
    ["a timestamp in another format", "passport.last_calculated_at", "2024-07-29", /timestamp/],
    ["30 February", "credentials.1.last_calculated_at", "2024-02-30T00:00:00.000Z", /timestamp/],
    ["29 February 2023", "passport.last_calculated_at", "2023-02-29T00:00:00.000Z", /timestamp/],
    ["a leap second", "passport.last_calculated_at", "2016-12-31T23:59:60.000Z", /timestamp/],
    ["the year 0", "passport.last_calculated_at", "0000-01-01T00:00:00.000Z", /timestamp/],
    ["a NUL", "passport.passport_profile.bio", "a\0b", /NUL/],
    ["an unpaired surrogate", "passport.passport_profile.tags.0", "\ud83e", /surrogate/],
    ["two credentials with the same id", "credentials.1.id", "a", /another credential/],
    ["a long earned_at", "credentials.0.earned_at", "x".repeat(65), /64/],
    [
      "a wallet that is too long for the index",
      "passport.verified_wallets.0",
      "x".repeat(257),
      /has 257 characters; at most 256/,
    ],
    ["a long bio", "passport.passport_profile.bio", "é".repeat(10_001), /has 10001 characters; at most 10000/],
    ["a long tag", "passport.passport_profile.tags.0", "y".repeat(101), /has 101 characters; at most 100/],
    ["too many tags", "passport.passport_profile.tags", Array(101).fill("x"), /has 101 items; at most 100/],
    ["a long value", "credentials.1.value", "x".repeat(1_001), /at most 1000/],
    ["too many wallets", "passport.verified_wallets", Array(1_001).fill("x"), /at most 1000/],
    ["a long display name", "passport.passport_profile.display_name", "x".repeat(1_001), /1000/],
    ["an unknown operator field", "operator", { hiden: true }, /not a known field/],
  ])("refuses %s and names the field", (_, path, value, reason) => {
    const { refusal } = readWith(path, value);
    expect(refusal?.field?.replace(/^operator\.\w+$/, "operator")).toBe(path);
    expect(refusal?.reason).toMatch(reason);
  });

  test("reports up to ten faults and reads no further", () => {
    const { passport } = person(7);
    const broken = { passport: { ...passport, score: "x", merged: 1 }, credentials: [{}, {}], extra: 1 };
    const { refusal } = read(JSON.stringify(broken));
    expect(refusal).toMatchObject({ field: "extra", reason: "is not a known field" });
    expect(refusal?.also?.map(({ field }) => field)).toEqual([
      "passport.score",
      "passport.merged",
      "credentials.0.id",
      "credentials.0.earned_at",
      "credentials.0.category",
      "credentials.0.last_calculated_at",
      "credentials.0.max_score",
      "credentials.0.score",
      "credentials.0.name",
    ]);
    const readKeys: string[] = [];
    const watched = new Proxy([{}, {}], {
      get: (target, key) => {
        readKeys.push(String(key));
        return Reflect.get(target, key);
      },
    });
    expect([...findFaults({ passport, credentials: watched }).take(5)]).toHaveLength(5);
    expect(readKeys).not.toContain("1");
  });

  test("refuses a missing field and names it", () => {
    const { refusal } = readWith("passport.merged", undefined);
    expect(refusal).toEqual({ field: "passport.merged", reason: "is missing" });
  });

  test.each([
    ["null", "null", /object/],
    ["a number", "1e999", /object/],
    ["truncated JSON", '{"passport":{"pass', /^is not JSON/],
    ["NaN", '{"passport":NaN}', /^is not JSON/],
    ["deep nesting", "[".repeat(100_000), /^is not JSON/],
    ["invalid UTF-8", Buffer.from([0x22, 0xff, 0x22]), /^is not UTF-8/],
  ])("refuses %s", (_, line, reason) => {
    const { refusal } = read(line);
    expect(refusal).toMatchObject({ field: null, reason: expect.stringMatching(reason) });
  });

  test("refuses a line that is too long", () => {
    const { refusal } = readPerson({ number: 1, bytes: Buffer.from("{"), tooLong: true });
    expect(refusal?.reason).toContain(String(LIMITS.lineBytes));
  });

  test("accepts the limits of V1", () => {
    const edges: Person = person(2 ** 53 - 1, {
      score: 1e15,
      activity_score: 5e-324,
      last_calculated_at: "9999-12-31T23:59:59.999Z",
      display_name: "👩‍👩‍👧‍👦".repeat(90),
    });
    expect(read(JSON.stringify(edges)).refusal).toBeNull();
    expect(readWith("passport.last_calculated_at", "2024-02-29T00:00:00.000Z").refusal).toBeNull();
  });
});
