import { expect, test } from "vitest";
import { proveProxyAnswers } from "./proxy-answers.ts";

test("proxy-answers", { timeout: 600_000 }, async () => {
  const { optional, required } = await proveProxyAnswers(20_000);
  expect(optional.cached).toBeGreaterThan(1_000);
  expect(optional.not_modified).toBeGreaterThan(500);
  expect(required.refused).toBeGreaterThan(5_000);
  expect(required.cached).toBe(0);
});
