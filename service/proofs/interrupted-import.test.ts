import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveInterruptedImport } from "./interrupted-import.ts";

// A batch is of 2,000: with a few more people, the last one who is held up is in the second.
test("interrupted-import", { timeout: 600_000 }, async () => {
  const people = scaled(6_000, 2_100);
  const kills = scaled(10, 4);
  const { killed } = await proveInterruptedImport(people, kills);
  expect(killed).toHaveLength(kills);
  const halfway = killed.filter(({ people_by_then }) => people_by_then > 0 && people_by_then < people);
  expect(halfway.length).toBeGreaterThan(0);
});
