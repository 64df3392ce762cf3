import { expect, test } from "vitest";
import { proveLimits } from "./limits.ts";

test("limits", () => {
  const { one_process, four_processes } = proveLimits(10);
  expect(one_process.requests).toBeGreaterThan(10_000);
  expect(four_processes.requests).toBeGreaterThan(10_000);
});
