import { expect, test } from "vitest";
import { createLagTracker } from "./replica-lag.ts";

/** A tracker with these positions of the primary, one per second. */
function trackerOf(positions: readonly number[]) {
  const tracker = createLagTracker();
  for (const [second, position] of positions.entries()) tracker.record({ at: second * 1_000, position });
  return tracker;
}

test("returns the last sampled time whose position is replayed", () => {
  const tracker = trackerOf([10, 20, 20, 30]);
  expect(tracker.asOf(31)).toBe(3_000);
  expect(tracker.asOf(30)).toBe(3_000);
  // Nothing was written between the samples of 20, so the state is that of the later one.
  expect(tracker.asOf(29)).toBe(2_000);
  expect(tracker.asOf(10)).toBe(0);
});

test("returns null for a position before all samples, and the last sample for a promoted server", () => {
  const tracker = trackerOf([10, 20]);
  expect(tracker.asOf(9)).toBeNull();
  expect(tracker.asOf(Number.POSITIVE_INFINITY)).toBe(1_000);
  expect(createLagTracker().asOf(5)).toBeNull();
});

test("stores a limited number of samples", () => {
  const tracker = trackerOf(Array.from({ length: 5_000 }, (_, second) => second));
  expect(tracker.asOf(3_999)).toBeNull();
  expect(tracker.asOf(4_000)).toBe(4_000_000);
});
