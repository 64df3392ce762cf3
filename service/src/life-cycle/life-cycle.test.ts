import { describe, expect, test, vi } from "vitest";
import { type Calendar, lifeCycle, trackLifeCycle } from "./life-cycle.ts";

const calendar: Calendar = {
  deprecatedAt: new Date("2026-01-02T03:04:05Z"),
  sunsetAt: new Date("2027-01-01T00:00:00Z"),
  docsUrl: "https://docs.example/v1",
  successorUrl: "https://v2.example/",
};
const sunset = Date.parse("2027-01-01T00:00:00Z");

describe("lifeCycle", () => {
  test("is deprecated until the sunset, and gone from then on", () => {
    expect(lifeCycle(calendar, sunset - 1)).toMatchObject({ state: "deprecated", cacheUntil: sunset });
    expect(lifeCycle(calendar, sunset)).toMatchObject({ state: "gone", cacheUntil: sunset });
  });

  test("has no end without a sunset", () => {
    const endless = { ...calendar, sunsetAt: null, successorUrl: null };
    expect(lifeCycle(endless, sunset)).toEqual({
      state: "deprecated",
      headers: { deprecation: "@1767323045", link: '<https://docs.example/v1>; rel="deprecation"; type="text/html"' },
      cacheUntil: Number.POSITIVE_INFINITY,
    });
  });

  test("returns the same headers in every state", () => {
    const before = lifeCycle(calendar, sunset - 1).headers;
    expect(before).toEqual({
      deprecation: "@1767323045",
      sunset: "Fri, 01 Jan 2027 00:00:00 GMT",
      link: '<https://docs.example/v1>; rel="deprecation"; type="text/html", <https://docs.example/v1>; rel="sunset"; type="text/html", <https://v2.example/>; rel="successor-version"',
    });
    expect(lifeCycle(calendar, sunset).headers).toEqual(before);
  });
});

test("trackLifeCycle follows the clock", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: sunset - 1 });
  try {
    const current = trackLifeCycle(calendar);
    expect(current().state).toBe("deprecated");
    expect(current()).toBe(current());
    vi.setSystemTime(sunset);
    expect(current().state).toBe("gone");
    // A clock that was set back.
    vi.setSystemTime(sunset - 1);
    expect(current().state).toBe("deprecated");
  } finally {
    vi.useRealTimers();
  }
});
