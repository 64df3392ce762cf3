import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveInterruptedCarry } from "./interrupted-carry.ts";

// A transaction writes 1,000 people. The blocked person is in the third one.
test("interrupted-carry", { timeout: 600_000 }, async () => {
  const kills = scaled(8, 2);
  const { killed } = await proveInterruptedCarry(scaled(4_000, 2_100), kills);
  expect(killed).toHaveLength(kills);
  expect(killed.filter(({ presented_to }) => presented_to !== null && presented_to > 0).length).toBeGreaterThan(0);
});
