import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { parseCount, parseDate, readRetryAfter } from "./values.ts";

test.each([
  ["0", 0],
  ["1024", 1024],
  ["007", 7],
  ["9007199254740991", 9_007_199_254_740_991],
  // Not exact as a number.
  ["9007199254740993", null],
  ["9".repeat(400), null],
  ["1,024", null],
  ["12.5K", null],
  ["-1", null],
  [" 1", null],
  ["1e3", null],
  ["٣", null],
  ["", null],
  [null, null],
])("the count %j is %j", (text, expected) => {
  expect(parseCount(text)).toBe(expected);
});

test("a count is null or the same number, for any text", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.bigInt({ min: 0n }).map(String)), (text) => {
      const count = parseCount(text);
      if (count !== null) expect(BigInt(count)).toBe(BigInt(text));
    }),
  );
});

test.each([
  ["2024-07-29T15:51:28.071Z", "2024-07-29T15:51:28.071Z"],
  ["2024-01-15T00:00:00+02:00", "2024-01-14T22:00:00.000Z"],
  // No zone: UTC, not the zone of the machine.
  ["2024-01-15T10:00:00", "2024-01-15T10:00:00.000Z"],
  ["2024-01-15", "2024-01-15T00:00:00.000Z"],
  ["2024-13-45", undefined],
  ["2024", undefined],
  ["January 15, 2024", undefined],
  ["13", undefined],
  ["", undefined],
  [null, undefined],
])("the date %j is %s", (text, expected) => {
  expect(parseDate(text)?.toISOString()).toBe(expected);
});

test("a date is null or valid, for any text", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      ),
      (text) => {
        const date = parseDate(text);
        if (date !== null) expect(date.toISOString().slice(0, 4)).toBe(text.slice(0, 4));
      },
    ),
  );
});

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ["0", 0],
  ["2", 2_000],
  ["3600", 3_600_000],
  ["Mon, 16 Nov 2026 12:00:05 GMT", 5_000],
  // The clocks of servers and clients differ.
  ["Mon, 16 Nov 2026 11:59:00 GMT", 0],
  ["soon", null],
  ["-1", null],
  ["1.5", null],
  ["", null],
])("Retry-After: %s is %d ms", (value, expected) => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-16T12:00:00Z") });
  expect(readRetryAfter(new Headers({ "retry-after": value }))).toBe(expected);
});

test("without Retry-After there is no time", () => {
  expect(readRetryAfter(new Headers())).toBeNull();
});
