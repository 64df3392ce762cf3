import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveHostileFile } from "./hostile-file.ts";

test("hostile-file", { timeout: 600_000 }, async () => {
  const lines = scaled(10_000, 1_000);
  const { kinds, refused } = await proveHostileFile(lines);
  expect(Object.values(kinds).every((count) => count > lines / 100)).toBe(true);
  expect(refused).toBeGreaterThan(0.6 * lines);
});
