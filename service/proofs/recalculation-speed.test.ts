import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveRecalculationSpeed } from "./recalculation-speed.ts";

// Without rounds that measure the speed: `npm run prove` prints it.
test("recalculation-speed", { timeout: 600_000 }, async () => {
  const { watched } = await proveRecalculationSpeed(scaled(3_000, 1_000), 0);
  expect(watched.people).toBeGreaterThan(40);
});
