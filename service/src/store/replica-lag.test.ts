import { expect, test } from "vitest";
import { type LagWatch, lagOf, watchLag } from "./replica-lag.ts";

/** What is known after each look at a primary that has written so much and a replica that has replayed so much. */
function watch(looks: readonly [written: number, replayed: number][]): number[] {
  let known: LagWatch = { samples: [], heldAt: null };
  return looks.map(([written, replayed], at) => {
    known = watchLag(known, { written, replayed, now: at * 1_000 });
    return lagOf(known, at * 1_000);
  });
}

test("a replica that keeps up is not behind, whether anything is written or not", () => {
  expect(
    watch([
      [10, 10],
      [20, 20],
      [20, 20],
      [30, 31],
    ]),
  ).toEqual([0, 0, 0, 0]);
});

test("one that falls behind is as far behind as the last moment it holds", () => {
  expect(
    watch([
      [10, 10],
      [20, 10],
      [30, 15],
      [40, 20],
      [50, 50],
    ]),
  ).toEqual([0, 1_000, 2_000, 2_000, 0]);
});

test("one that is cut off falls further and further behind, even while nothing is written", () => {
  expect(
    watch([
      [10, 10],
      [20, 10],
      [20, 10],
      [20, 10],
    ]),
  ).toEqual([0, 1_000, 2_000, 3_000]);
});

test("of one that holds no moment yet nothing is known", () => {
  expect(
    watch([
      [10, 5],
      [20, 9],
      [30, 10],
    ]),
  ).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 2_000]);
});
