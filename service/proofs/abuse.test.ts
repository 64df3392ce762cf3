import { expect, test } from "vitest";
import { proveAbuse } from "./abuse.ts";

test("abuse", { timeout: 600_000 }, async () => {
  const { attacks } = await proveAbuse(0.01);
  for (const result of attacks) {
    const { name, attacker } = result;
    expect(result.lookups, name).toBeGreaterThan(0);
    expect(result, name).toMatchObject({ failures: 0, readiness_failures: 0, reasons: {}, server: null });
    expect(attacker?.attempts, name).toBeGreaterThan(0);
    if (name.startsWith("http2")) expect(attacker?.requests, name).toBeGreaterThan(0);
    else if (!name.startsWith("idle")) expect(attacker?.bytes_sent, name).toBeGreaterThan(0);
  }
});
