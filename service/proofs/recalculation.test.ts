import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveRecalculation } from "./recalculation.ts";

test("recalculation by workers that are killed", { timeout: 600_000 }, async () => {
  const people = scaled(4_000, 2_000);
  const kills = scaled(10, 2);
  const { people_done_at_kills, watched } = await proveRecalculation(people, { kills, measured: [1] });
  expect(people_done_at_kills).toHaveLength(kills);
  expect(people_done_at_kills.at(-1)).toBeGreaterThan(0);
  expect(people_done_at_kills.every((done) => done < people)).toBe(true);
  expect(watched.people).toBeGreaterThan(40);
});
