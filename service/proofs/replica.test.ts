import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveReplica } from "./replica.ts";

test("replica", { timeout: 600_000 }, async () => {
  const { reads, changes, most_lag_seconds } = await proveReplica(scaled(4_000, 2_000), 60);
  expect(reads).toBeGreaterThanOrEqual(100);
  expect(changes).toBeGreaterThan(0);
  // Half of the age limit that the second part serves with: that is when the replica is no longer read.
  expect(most_lag_seconds).toBeGreaterThan(3);
});
