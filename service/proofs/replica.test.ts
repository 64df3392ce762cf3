import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveReplica } from "./replica.ts";

test("replica", { timeout: 600_000 }, async () => {
  const { reads, changes, max_lag_seconds, balanced } = await proveReplica(scaled(4_000, 2_000), 60);
  expect(reads).toBeGreaterThanOrEqual(100);
  expect(changes).toBeGreaterThan(0);
  // The server stops reading the replica at half of CACHE_MAX_AGE, here 3 seconds.
  expect(max_lag_seconds).toBeGreaterThan(3);
  expect(balanced.reads).toBeGreaterThan(1_000);
  expect(balanced.discarded_connections).toBeGreaterThan(0);
});
