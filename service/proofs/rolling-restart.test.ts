import { expect, test } from "vitest";
import { proveRollingRestart } from "./rolling-restart.ts";

test("rolling-restart", { timeout: 600_000 }, async () => {
  const { requests, failed, restarts } = await proveRollingRestart(2_000);
  expect(requests).toBeGreaterThanOrEqual(2_000);
  expect(restarts).toBeGreaterThanOrEqual(2);
  expect(failed).toBe(0);
});
