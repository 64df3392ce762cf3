import { expect, test } from "vitest";
import { proveEnqueueTiming } from "./enqueue-timing.ts";

// The durations are not judged here: that needs many calls.
test("enqueue: equal responses for passports that are unknown, visible and hidden", { timeout: 60_000 }, async () => {
  const { pairs } = await proveEnqueueTiming(5);
  expect(pairs).toHaveLength(4);
});
