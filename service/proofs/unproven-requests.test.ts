import { expect, test } from "vitest";
import { proveUnprovenRequests } from "./unproven-requests.ts";

test("unproven requests", { timeout: 600_000 }, async () => {
  const { sent, statuses, others, decoys, holder, good } = await proveUnprovenRequests(300);
  expect({ sent, others, decoys }).toEqual({ sent: 300, others: 0, decoys: 0 });
  // Refused before the signature, after it, and answered as if it were stored.
  expect(statuses).toMatchObject({ 400: expect.any(Number), 202: expect.any(Number) });
  expect(holder.requests).toBeGreaterThan(0);
  expect(good).toMatchObject({ failures: 0, readiness_failures: 0 });
});
