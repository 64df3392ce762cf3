import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveInterrupted } from "./interrupted.ts";

// An import writes batches of 2,000 people. With a few more, the last blocked person is in a later batch.
test("interrupted imports", { timeout: 600_000 }, async () => {
  const people = scaled(4_000, 2_100);
  const { killed, imports } = await proveInterrupted(people, scaled(10, 2));
  expect(killed).toBe(scaled(10, 2));
  const halfway = imports.filter(({ stored_people }) => stored_people > 0 && stored_people < people);
  expect(halfway.length).toBeGreaterThan(0);
});
