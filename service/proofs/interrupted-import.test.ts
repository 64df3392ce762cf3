import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveInterruptedImport } from "./interrupted-import.ts";

// A batch has 2,000 people. With a few more, the last blocked person is in the second batch.
test("interrupted-import", { timeout: 600_000 }, async () => {
  const people = scaled(6_000, 2_100);
  const kills = scaled(10, 2);
  const { killed } = await proveInterruptedImport(people, kills);
  expect(killed).toHaveLength(kills);
  const halfway = killed.filter(({ stored_people }) => stored_people > 0 && stored_people < people);
  expect(halfway.length).toBeGreaterThan(0);
});
