import fc from "fast-check";
import { parseItem } from "structured-headers";
import { describe, expect, test, vi } from "vitest";
import { type Calendar, listPeriods } from "#core/config/calendar.ts";
import { describeLifeCycle } from "./describe.ts";
import { isSwitchedOff, lifeCycle, retryAfterHeader, trackLifeCycle } from "./state-and-headers.ts";

const at = (text: string): number => Date.parse(text);
const brownout = (start: string, end: string) => ({ startsAt: new Date(start), endsAt: new Date(end) });

const calendar: Calendar = {
  deprecatedAt: new Date("2026-01-02T03:04:05Z"),
  sunsetAt: new Date("2027-01-01T00:00:00Z"),
  brownouts: [
    brownout("2026-11-01T15:00:00Z", "2026-11-01T15:05:00Z"),
    brownout("2026-12-01T15:00:00Z", "2026-12-01T16:00:00Z"),
  ],
  docsUrl: "https://docs.example/v1",
  successorUrl: "https://v2.example/",
};
const sunset = at("2027-01-01T00:00:00Z");
const endless: Calendar = { ...calendar, sunsetAt: null, brownouts: [], successorUrl: null };

describe("lifeCycle", () => {
  test.each([
    ["2025-01-01T00:00:00Z", "announced", "2026-11-01T15:00:00Z"],
    ["2026-11-01T14:59:59.999Z", "announced", "2026-11-01T15:00:00Z"],
    ["2026-11-01T15:00:00Z", "brownout", "2026-11-01T15:05:00Z"],
    ["2026-11-01T15:04:59.999Z", "brownout", "2026-11-01T15:05:00Z"],
    ["2026-11-01T15:05:00Z", "announced", "2026-12-01T15:00:00Z"],
    ["2026-12-01T15:30:00Z", "brownout", "2026-12-01T16:00:00Z"],
    ["2026-12-31T23:59:59.999Z", "announced", "2027-01-01T00:00:00Z"],
  ])("at %s it is %s until %s", (now, state, until) => {
    expect(lifeCycle(calendar, at(now))).toMatchObject({ state, until: at(until) });
  });

  test("is gone from the sunset on", () => {
    expect(lifeCycle(calendar, sunset)).toMatchObject({ state: "gone", from: sunset, until: Number.POSITIVE_INFINITY });
    expect(lifeCycle(calendar, at("2999-01-01"))).toMatchObject({ state: "gone" });
  });

  test("stays active without a sunset, whatever the deprecation date", () => {
    expect(lifeCycle(endless, sunset)).toEqual({
      state: "active",
      from: Number.NEGATIVE_INFINITY,
      until: Number.POSITIVE_INFINITY,
      headers: { deprecation: "@1767323045", link: '<https://docs.example/v1>; rel="deprecation"; type="text/html"' },
      cacheUntil: Number.POSITIVE_INFINITY,
    });
  });

  test("returns the same headers in every state", () => {
    const before = lifeCycle(calendar, at("2026-02-01")).headers;
    expect(before).toEqual({
      deprecation: "@1767323045",
      sunset: "Fri, 01 Jan 2027 00:00:00 GMT",
      link: '<https://docs.example/v1>; rel="deprecation"; type="text/html", <https://docs.example/v1>; rel="sunset"; type="text/html", <https://v2.example/>; rel="successor-version"',
    });
    expect(lifeCycle(calendar, at("2026-12-01T15:30:00Z")).headers).toEqual(before);
    expect(lifeCycle(calendar, sunset).headers).toEqual(before);
  });

  test("joins brownouts without a time between them", () => {
    const brownouts = [
      brownout("2026-11-01T15:00:00Z", "2026-11-01T15:05:00Z"),
      brownout("2026-11-01T15:05:00Z", "2026-11-01T16:00:00Z"),
    ];
    const { state, until } = lifeCycle({ ...calendar, brownouts }, at("2026-11-01T15:01:00Z"));
    expect([state, until]).toEqual(["brownout", at("2026-11-01T16:00:00Z")]);
  });
});

test("Retry-After is in whole seconds, rounded up, and at least 1", () => {
  const secondsOf = (until: number, now: number) => retryAfterHeader(until, now)[1];
  expect([0, 1, 1_000, 1_001, 60_000].map((ms) => secondsOf(ms, 0))).toEqual(["1", "1", "1", "2", "60"]);
  expect(secondsOf(0, 5_000)).toBe("1");
});

describe("any calendar", () => {
  const SECOND = 1_000;
  /** Times are built from gaps, so that they are in order; a gap of 0 makes brownouts adjacent. */
  const calendars = fc
    .record({
      start: fc.integer({ min: 0, max: 4e9 }),
      toSunset: fc.integer({ min: 1, max: 1e8 }),
      gaps: fc.array(fc.tuple(fc.integer({ min: 0, max: 1e7 }), fc.integer({ min: 1, max: 1e6 })), { maxLength: 6 }),
      hasSunset: fc.boolean(),
    })
    .map(({ start, toSunset, gaps, hasSunset }): Calendar => {
      let seconds = start;
      const brownouts = gaps.map(([gap, duration]) => {
        const startsAt = new Date((seconds + gap) * SECOND);
        seconds += gap + duration;
        return { startsAt, endsAt: new Date(seconds * SECOND) };
      });
      const deprecatedAt = new Date(start * SECOND);
      if (!hasSunset) return { ...endless, deprecatedAt };
      return { ...calendar, deprecatedAt, brownouts, sunsetAt: new Date((seconds + toSunset) * SECOND) };
    });
  const check = (property: (calendar: Calendar, now: number) => void) => {
    const withTime = calendars.chain((any) => {
      const edges = listPeriods(any)
        .map(({ from }) => from)
        .filter(Number.isFinite);
      // Times near a change, and any other time.
      const near = edges.length === 0 ? [] : [fc.constantFrom(...edges.flatMap((edge) => [edge - 1, edge, edge + 1]))];
      return fc.tuple(fc.constant(any), fc.oneof(fc.integer({ min: -1e12, max: 6e12 }), ...near));
    });
    fc.assert(
      fc.property(withTime, ([any, now]) => property(any, now)),
      { numRuns: 3_000 },
    );
  };

  test("periods follow each other without a gap, with states in order", () => {
    check((any) => {
      const periods = listPeriods(any);
      expect(periods.at(0)?.from).toBe(Number.NEGATIVE_INFINITY);
      expect(periods.at(-1)?.until).toBe(Number.POSITIVE_INFINITY);
      for (const [index, { from }] of periods.entries()) if (index > 0) expect(from).toBe(periods[index - 1]?.until);
      const states = periods.map(({ state }) => state).join(" ");
      expect(states).toMatch(/^(active|announced( brownout announced)* gone)$/);
    });
  });

  test("V1 is switched off in a brownout and from the sunset on, never earlier, never longer", () => {
    check((any, now) => {
      const { state } = lifeCycle(any, now);
      const inBrownout = any.brownouts.some(({ startsAt, endsAt }) => +startsAt <= now && now < +endsAt);
      const isOver = any.sunsetAt !== null && now >= any.sunsetAt.getTime();
      const expected = isOver ? "gone" : inBrownout ? "brownout" : any.sunsetAt === null ? "active" : "announced";
      expect(state).toBe(expected);
    });
  });

  test("headers agree with the calendar", () => {
    check((any, now) => {
      const { headers } = lifeCycle(any, now);
      expect(parseItem(headers.deprecation)[0]).toEqual(any.deprecatedAt);
      expect(headers.sunset === undefined ? null : new Date(headers.sunset)).toEqual(any.sunsetAt);
      expect(headers.link).toContain('rel="deprecation"');
      expect(headers.link.includes('rel="sunset"')).toBe(any.sunsetAt !== null);
    });
  });

  test("nothing is cached across a change, or while V1 is switched off", () => {
    check((any, now) => {
      const { state, cacheUntil } = lifeCycle(any, now);
      if (isSwitchedOff(state)) expect(cacheUntil).toBeLessThanOrEqual(now);
      else {
        expect(cacheUntil).toBeGreaterThan(now);
        for (const time of [now, now + (cacheUntil - now) / 2, cacheUntil - 1].filter(Number.isFinite))
          expect(lifeCycle(any, time).state).toBe(state);
        if (Number.isFinite(cacheUntil)) expect(lifeCycle(any, cacheUntil).state).not.toBe(state);
      }
    });
  });

  test("the tracked life cycle is that of the time, in whatever order times come", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    try {
      fc.assert(
        fc.property(calendars, fc.array(fc.integer({ min: 0, max: 6e12 }), { maxLength: 20 }), (any, times) => {
          const current = trackLifeCycle(any);
          // Each followed by the end of its state.
          const ends = times.flatMap((time) => [time, lifeCycle(any, time).until]).filter(Number.isFinite);
          for (const time of ends) {
            vi.setSystemTime(time);
            expect(current()).toEqual(lifeCycle(any, time));
            expect(current()).toBe(current());
          }
        }),
      );
    } finally {
      vi.useRealTimers();
    }
  });

  test("the JSON document has the state and the next change", () => {
    check((any, now) => {
      const { state, next_change } = describeLifeCycle({ ...any, v1AlsoAt: [] }, now);
      const current = lifeCycle(any, now);
      expect(state).toBe(current.state);
      if (next_change === null) expect(current.until).toBe(Number.POSITIVE_INFINITY);
      else {
        expect(at(next_change.at)).toBe(current.until);
        expect(next_change.state).toBe(lifeCycle(any, current.until).state);
      }
    });
  });
});
