import { expect, test } from "vitest";
import { proveProxyAnswers } from "./proxy-answers.ts";

test("proxy-answers", { timeout: 600_000 }, async () => {
  const { optional, required } = await proveProxyAnswers(3_000);
  expect(optional.cached).toBeGreaterThan(100);
  expect(optional.not_modified).toBeGreaterThan(50);
  expect(required.refused).toBeGreaterThan(500);
  expect(required.cached).toBe(0);
});
