import type { Person } from "@credence/contract/person.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyPerson } from "#testing/arbitrary-person.ts";
import { NO_NOTES, numberOf, parseKeepingCounts } from "./lossless.ts";
import { readResponse } from "./read-response.ts";

const ORIGIN = { file: "", url: null, at: null, id: null };
const read = (text: string): string[] =>
  [...readResponse(parseKeepingCounts(text), ORIGIN, NO_NOTES)].map((found) => JSON.stringify(found));

const NUMBERS = /"((?:activity_|identity_|skills_|max_)?score|connections_count|passport_id)":(\d+(?:\.\d+)?)(?=[,}])/g;
const COUNTS = /"(follow(?:er|ing)_count)":"(0|[1-9]\d*)"/g;

describe("lossless conversions", () => {
  test("any valid person, and the same with numbers as texts and counts as numbers, are read alike", () => {
    const variants = fc.tuple(anyPerson(7), fc.array(fc.nat(4), { minLength: 1, maxLength: 20 }));
    fc.assert(
      fc.property(variants, ([person, choices]: [Person, number[]]) => {
        const text = JSON.stringify(person);
        let at = 0;
        const choose = () => choices[at++ % choices.length] as number;
        const variant = text
          .replaceAll(NUMBERS, (whole, name: string, digits: string) => {
            const forms = [
              digits,
              `"${digits}"`,
              `"${digits.includes(".") ? digits : `${digits}.`}00"`,
              `"0${digits}"`,
            ];
            return forms[choose()] === undefined ? whole : `"${name}":${forms[choose()] ?? digits}`;
          })
          .replaceAll(COUNTS, (whole, name: string, digits: string) => (choose() > 1 ? `"${name}":${digits}` : whole));
        expect(read(variant)).toEqual(read(text));
      }),
    );
  });

  test("a count keeps its digits beyond the precision of a number", () => {
    const text = '{"follower_count": 12345678901234567890123, "following_count":007}'.replace("007", "7");
    expect(parseKeepingCounts(text)).toEqual({ follower_count: "12345678901234567890123", following_count: "7" });
  });

  test.each(["-1", "1.5", "1e3"])("the count %s has no single text, and stays a number", (digits) => {
    expect(parseKeepingCounts(`{"follower_count":${digits}}`)).toEqual({ follower_count: Number(digits) });
  });

  test.each([
    ["17.50", 17.5],
    ["0", 0],
    ["007", 7],
    ["9007199254740991", 9_007_199_254_740_991],
    ["9007199254740993", null],
    ["0.1000000000000000055", null],
    ["1e3", null],
    ["-1", null],
    ["", null],
    [" 1", null],
    [`1${"0".repeat(30)}`, null],
  ])("the text %j means %s", (text, number) => expect(numberOf(text)).toBe(number));
});
