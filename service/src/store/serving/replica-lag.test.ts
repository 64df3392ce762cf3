import { expect, test } from "vitest";
import { createLagClock } from "./replica-lag.ts";

/** A clock that has seen the primary write so much, a second apart. */
function clockOf(written: readonly number[]) {
  const clock = createLagClock();
  for (const [at, position] of written.entries()) clock.note({ at: at * 1_000, written: position });
  return clock;
}

test("a replica holds everything up to the last moment whose position it has replayed", () => {
  const clock = clockOf([10, 20, 20, 30]);
  expect(clock.heldAt(31)).toBe(3_000);
  expect(clock.heldAt(30)).toBe(3_000);
  // Nothing was written in between: it is as good as up to date then.
  expect(clock.heldAt(29)).toBe(2_000);
  expect(clock.heldAt(10)).toBe(0);
});

test("of a replica that holds less than all that is known, nothing can be said; a promoted one holds everything", () => {
  const clock = clockOf([10, 20]);
  expect(clock.heldAt(9)).toBeNull();
  expect(clock.heldAt(Number.POSITIVE_INFINITY)).toBe(1_000);
  expect(createLagClock().heldAt(5)).toBeNull();
});

test("keeps a bounded number of moments", () => {
  const clock = clockOf(Array.from({ length: 5_000 }, (_, at) => at));
  expect(clock.heldAt(3_999)).toBeNull();
  expect(clock.heldAt(4_000)).toBe(4_000_000);
});
