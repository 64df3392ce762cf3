import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchReachability } from "./reachability.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("two failures in a row mean down, until a probe succeeds: at once, then every second", async () => {
  const probe = vi.fn<() => Promise<void>>().mockRejectedValue(new Error("no"));
  const { isDown, isDoubtful, record } = watchReachability(probe);
  for (const responded of [false, true, false]) record(responded);
  expect([isDown(), isDoubtful(), probe.mock.calls.length]).toEqual([false, true, 0]);
  record(false);
  expect([isDown(), probe.mock.calls.length]).toEqual([true, 1]);
  // A response to a statement that was sent before does not end the outage.
  record(true);
  expect(isDown()).toBe(true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([isDown(), probe.mock.calls.length]).toEqual([true, 2]);
  probe.mockResolvedValue();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([isDown(), probe.mock.calls.length]).toEqual([false, 3]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(probe).toHaveBeenCalledTimes(3);
});

test("does not probe after it was stopped", async () => {
  const probe = vi.fn<() => Promise<void>>().mockRejectedValue(new Error("no"));
  const { record, stop } = watchReachability(probe);
  record(false);
  record(false);
  stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(probe).toHaveBeenCalledTimes(1);
});
