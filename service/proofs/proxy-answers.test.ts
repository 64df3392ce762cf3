import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveProxyAnswers } from "./proxy-answers.ts";

test("proxy-answers", { timeout: 600_000 }, async () => {
  const requests = scaled(20_000, 3_000);
  const { optional, required } = await proveProxyAnswers(requests);
  expect(optional.cached).toBeGreaterThan(requests / 20);
  expect(optional.not_modified).toBeGreaterThan(requests / 40);
  expect(required.refused).toBeGreaterThan(requests / 4);
  expect(required.cached).toBe(0);
});
