import { expect, test } from "vitest";
import { proveReplicas } from "./replicas.ts";

test("replicas", { timeout: 600_000 }, async () => {
  const { reads, discarded_connections } = await proveReplicas(300);
  expect(reads).toBeGreaterThan(1_000);
  expect(discarded_connections).toBeGreaterThan(0);
});
