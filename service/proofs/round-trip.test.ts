import { CARRIED_FIELDS, type CarriedField } from "@credence/contract/carried.ts";
import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveRoundTrip } from "./round-trip.ts";

const cases: { carried: readonly CarriedField[] }[] = [{ carried: [] }, { carried: CARRIED_FIELDS }];

test.each(cases)("round-trip with $carried", { timeout: 600_000 }, async ({ carried }) => {
  const people = scaled(1_500, 250);
  const proven = await proveRoundTrip(people, carried);
  expect(proven).toMatchObject({ people, hidden: expect.any(Number), merged: expect.any(Number) });
  expect(proven.hidden).toBeGreaterThan(0);
  expect(proven.merged).toBeGreaterThan(0);
  expect(proven.found).toBeGreaterThan(4 * people);
});
