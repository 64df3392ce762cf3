import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveLongNames } from "./long-names.ts";

test("long-names", { timeout: 600_000 }, async () => {
  const { ordinary, han } = await proveLongNames(scaled(3_000, 300));
  expect(ordinary.peak_mib).toBeGreaterThan(0);
  expect(han.peak_mib).toBeLessThan(400);
});
