import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveCollect } from "./collect.ts";

test("collect", { timeout: 600_000 }, async () => {
  const people = scaled(2_000, 250);
  const { kills, requests } = await proveCollect(people, scaled(10, 4));
  expect(kills).toBeGreaterThan(1);
  expect(requests).toBeGreaterThan(2 * people * 0.95);
});
