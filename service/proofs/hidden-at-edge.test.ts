import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveHiddenAtEdge } from "./hidden-at-edge.ts";

test("hidden-at-edge", { timeout: 600_000 }, async () => {
  const { asked, disturbed } = await proveHiddenAtEdge(scaled(180, 4));
  expect(asked).toBeGreaterThan(100);
  expect(disturbed).toBeGreaterThan(50);
});
