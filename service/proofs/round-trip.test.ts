import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveRoundTrip } from "./round-trip.ts";

test("round-trip", { timeout: 600_000 }, async () => {
  const people = scaled(1_500, 250);
  const proven = await proveRoundTrip(people);
  expect(proven).toMatchObject({ people, hidden: expect.any(Number), merged: expect.any(Number) });
  expect(proven.hidden).toBeGreaterThan(0);
  expect(proven.merged).toBeGreaterThan(0);
  expect(proven.found).toBeGreaterThan(4 * people);
});
