import { expect, test } from "vitest";
import { proveFlood } from "./floods.ts";

test("a flood of requests without proof", { timeout: 600_000 }, async () => {
  const { sent, statuses, holder, good } = await proveFlood(300);
  expect(sent).toBe(300);
  // Refused before the signature, after it, and by the worker.
  expect(statuses).toMatchObject({ 400: expect.any(Number), 202: expect.any(Number) });
  expect(holder.requests).toBeGreaterThan(0);
  expect(good).toMatchObject({ failures: 0, readiness_failures: 0 });
});
