import { expect, test } from "vitest";
import { proveRestarts } from "./restarts.ts";

test("restarts under load", { timeout: 600_000 }, async () => {
  const { requests, restarts, failed, killed } = await proveRestarts(2_000);
  expect(requests).toBeGreaterThanOrEqual(2_000);
  expect(restarts).toBeGreaterThanOrEqual(2);
  expect(failed).toBe(0);
  expect(killed.stored).toBeGreaterThan(0);
  expect(killed.lost).toBeLessThanOrEqual(killed.sent_in_last_interval);
});
