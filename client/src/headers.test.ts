import { afterEach, expect, test, vi } from "vitest";
import { readRetryAfter } from "./headers.ts";

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
