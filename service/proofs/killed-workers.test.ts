import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveKilledWorkers } from "./killed-workers.ts";

test("killed-workers", { timeout: 600_000 }, async () => {
  const people = scaled(4_000, 2_000);
  const kills = scaled(10, 2);
  const { people_done_at_kills } = await proveKilledWorkers(people, kills);
  expect(people_done_at_kills).toHaveLength(kills);
  expect(people_done_at_kills.at(-1)).toBeGreaterThan(0);
  expect(people_done_at_kills.every((done) => done < people)).toBe(true);
});
