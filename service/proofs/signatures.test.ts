import { expect, test } from "vitest";
import { MUTATIONS } from "./signatures/mutations.ts";
import { proveSignatures } from "./signatures.ts";

test("of 1,000 signatures and mutations exactly the valid ones pass", { timeout: 60_000 }, async () => {
  const { accepted, rejected, cases } = await proveSignatures(1_000);
  expect(Object.keys(cases)).toEqual(Object.keys(MUTATIONS));
  expect(accepted).toBeGreaterThan(50);
  expect(accepted + rejected).toBe(1_000);
});
