import { expect, test } from "vitest";
import { proveAbuse } from "./abuse.ts";

test("abuse", { timeout: 600_000 }, async () => {
  const { attacks, cache } = await proveAbuse(0.01);
  for (const { name, attacker, good, server } of attacks) {
    expect(good.lookups, name).toBeGreaterThan(0);
    expect(good, name).toMatchObject({ failures: 0, readiness_failures: 0, reasons: {} });
    expect(server, name).toBeNull();
    expect(attacker?.attempts, name).toBeGreaterThan(0);
    if (!name.startsWith("idle")) expect(attacker?.bytes_sent, name).toBeGreaterThan(0);
  }
  expect(cache.lookups).toBeGreaterThan(0);
});
