import { expect, test } from "vitest";
import { proveWellBehaved } from "./well-behaved.ts";

test("clients within their limits are never refused", { timeout: 600_000 }, async () => {
  // Few enough that nobody reaches a limit of open requests, even if a slow machine answers none.
  const { statuses } = await proveWellBehaved(2, 5);
  expect(Object.values(statuses)).toHaveLength(4);
  for (const counts of Object.values(statuses)) {
    expect(counts[200]).toBeGreaterThan(0);
    expect(counts[429]).toBeUndefined();
  }
});
