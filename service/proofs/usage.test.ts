import { expect, test } from "vitest";
import { proveUsage } from "./usage.ts";

test("usage", { timeout: 600_000 }, async () => {
  const { requests, restarts, wrong_counts, killed } = await proveUsage(2_000);
  expect(requests).toBeGreaterThanOrEqual(2_000);
  expect(restarts).toBeGreaterThanOrEqual(2);
  expect(wrong_counts).toBe(0);
  expect(killed.stored).toBeGreaterThan(0);
  expect(killed.lost).toBeLessThanOrEqual(killed.sent_in_last_interval);
});
