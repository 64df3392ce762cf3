import { expect, test } from "vitest";
import { createMissHistory } from "./recent-misses.ts";

const keys = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `p${from + index}`);

test("reports a key from its second miss on", () => {
  const isRecentMiss = createMissHistory();
  expect(["p1", "p2", "p1", "c1", "p2", ""].map(isRecentMiss)).toEqual([false, false, true, false, true, false]);
});

test("stores most of thousands of keys, and drops them after many others", () => {
  const isRecentMiss = createMissHistory();
  const first = keys(0, 5_000);
  expect(first.filter(isRecentMiss).length).toBeLessThan(5);
  expect(first.filter(isRecentMiss).length).toBeGreaterThan(4_000);
  keys(10_000, 400_000).filter(isRecentMiss);
  expect(first.filter(isRecentMiss).length).toBeLessThan(200);
});
