import { expect, test } from "vitest";
import { proveThrowAwayWallets, proveUnprovenRequests } from "./unproven-requests.ts";

test("unproven requests", { timeout: 600_000 }, async () => {
  const { sent, statuses, left, holder, good } = await proveUnprovenRequests(300);
  expect({ sent, of_others: left.of_others }).toEqual({ sent: 300, of_others: 0 });
  // Refused before the signature, after it, and by the worker.
  expect(statuses).toMatchObject({ 400: expect.any(Number), 202: expect.any(Number) });
  expect(holder.requests).toBeGreaterThan(0);
  expect(good).toMatchObject({ failures: 0, readiness_failures: 0 });
});

test("valid signatures of throw-away wallets", { timeout: 600_000 }, async () => {
  const { statuses, left, holder, good } = await proveThrowAwayWallets(300);
  expect(statuses).toMatchObject({ 202: expect.any(Number) });
  expect(left.of_others).toBe(0);
  expect(left.rows).toBeGreaterThan(holder.requests);
  expect(holder.requests).toBeGreaterThan(0);
  expect(good).toMatchObject({ failures: 0, readiness_failures: 0 });
});
