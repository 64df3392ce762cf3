import { expect, test } from "vitest";
import { proveWellBehaved } from "./well-behaved.ts";

test("clients within their limits are never refused", { timeout: 600_000 }, async () => {
  const { statuses, not_met } = await proveWellBehaved(3);
  expect(not_met).toEqual([]);
  expect(Object.values(statuses).map((counts) => counts[200])).toEqual([1_000, 30, 315, 3_000]);
});
