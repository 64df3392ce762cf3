import { expect, test } from "vitest";
import { rememberKeys } from "./recent-misses.ts";

const keys = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, at) => `p${from + at}`);

test("a key is known from its second time on", () => {
  const wasAsked = rememberKeys();
  expect(["p1", "p2", "p1", "c1", "p2", ""].map(wasAsked)).toEqual([false, false, true, false, true, false]);
});

test("most of thousands are remembered; after many others they are not", () => {
  const wasAsked = rememberKeys();
  const some = keys(0, 5_000);
  expect(some.filter(wasAsked).length).toBeLessThan(5);
  expect(some.filter(wasAsked).length).toBeGreaterThan(4_000);
  keys(10_000, 400_000).filter(wasAsked);
  expect(some.filter(wasAsked).length).toBeLessThan(200);
});
