import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveKilledWorkers } from "./killed-workers.ts";

test("killed-workers", { timeout: 600_000 }, async () => {
  const people = scaled(4_000, 2_000);
  const kills = scaled(10, 4);
  const { people_done_at_each } = await proveKilledWorkers(people, kills);
  expect(people_done_at_each).toHaveLength(kills);
  expect(people_done_at_each.at(-1)).toBeGreaterThan(0);
  expect(people_done_at_each.every((done) => done < people)).toBe(true);
});
