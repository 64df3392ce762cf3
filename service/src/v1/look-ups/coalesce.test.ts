import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Overloaded } from "#core/database/failures.ts";
import { coalesce } from "./coalesce.ts";

// Fake timers: whether a batch is slow must not depend on how busy the machine is.
const SLOW_MS = 21;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A look-up whose batches a test resolves or rejects. Only even keys have a row. */
function createLookUp() {
  const batches: { keys: number[]; respond: () => void; fail: (error: Error) => void }[] = [];
  const lookUp = coalesce<number, string>((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<Map<number, string>>();
    const even = keys.filter((key) => key % 2 === 0);
    batches.push({ keys, respond: () => resolve(new Map(even.map((key) => [key, `row ${key}`]))), fail: reject });
    return promise;
  });
  return { batches, lookUp };
}

test("batches keys that arrive together or while a batch is in flight, and resolves each key with its row", async () => {
  const { batches, lookUp } = createLookUp();
  const first = [2, 3].map(lookUp);
  await turn();
  const second = [4, 4, 5].map(lookUp);
  await turn();
  expect(batches.map(({ keys }) => keys)).toEqual([[2, 3]]);
  batches[0]?.respond();
  expect(await Promise.all(first)).toEqual(["row 2", null]);
  await turn();
  expect(batches.map(({ keys }) => keys)).toEqual([
    [2, 3],
    [4, 5],
  ]);
  batches[1]?.respond();
  expect(await Promise.all(second)).toEqual(["row 4", "row 4", null]);
});

test("sends one more batch, and only one, while a batch is slow", async () => {
  const { batches, lookUp } = createLookUp();
  const slow = lookUp(2);
  await turn();
  const next = lookUp(4);
  await turn();
  vi.advanceTimersByTime(SLOW_MS - 1);
  expect(batches).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(batches).toHaveLength(2);
  const last = lookUp(6);
  vi.advanceTimersByTime(10 * SLOW_MS);
  await turn();
  expect(batches).toHaveLength(2);
  batches[1]?.respond();
  expect(await next).toBe("row 4");
  expect(batches).toHaveLength(3);
  for (const { respond } of batches) respond();
  expect(await Promise.all([slow, last])).toEqual(["row 2", "row 6"]);
});

test("sends a key at once when the batch in flight has been slow for long", async () => {
  const { batches, lookUp } = createLookUp();
  const stuck = lookUp(2);
  await turn();
  // Well past the timer that sends queued keys.
  vi.advanceTimersByTime(3 * SLOW_MS);
  const next = lookUp(4);
  await turn();
  expect(batches).toHaveLength(2);
  batches[1]?.respond();
  expect(await next).toBe("row 4");
  batches[0]?.respond();
  expect(await stuck).toBe("row 2");
});

test("rejects only the keys of the failed batch", async () => {
  const { batches, lookUp } = createLookUp();
  const failing = lookUp(2);
  await turn();
  const waiting = lookUp(4);
  batches[0]?.fail(new Error("no"));
  await expect(failing).rejects.toThrow("no");
  expect(batches).toHaveLength(2);
  batches[1]?.respond();
  expect(await waiting).toBe("row 4");
});

test("sends 100 keys per batch, and rejects keys when 2,000 are queued", async () => {
  const { batches, lookUp } = createLookUp();
  const first = lookUp(0);
  await turn();
  const waiting = Array.from({ length: 2_000 }, (_, index) => lookUp(index + 1));
  await expect(lookUp(5_000)).rejects.toBeInstanceOf(Overloaded);
  for (let index = 0; index < 21; index += 1) {
    expect(batches).toHaveLength(index + 1);
    batches[index]?.respond();
    await turn();
  }
  expect(await first).toBe("row 0");
  expect(await waiting.at(-1)).toBe("row 2000");
  expect(Math.max(...batches.map(({ keys }) => keys.length))).toBe(100);
});
