import { expect, test } from "vitest";
import { proveUnprovenRequests } from "./unproven-requests.ts";

test("unproven requests", { timeout: 600_000 }, async () => {
  const { sent, statuses, left, holder, good } = await proveUnprovenRequests(300);
  expect({ sent, of_others: left.of_others }).toEqual({ sent: 300, of_others: 0 });
  // Refused before the signature, after it, and by the worker.
  expect(statuses).toMatchObject({ 400: expect.any(Number), 202: expect.any(Number) });
  expect(holder.requests).toBeGreaterThan(0);
  expect(good).toMatchObject({ failures: 0, readiness_failures: 0 });
});
