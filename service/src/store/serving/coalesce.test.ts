import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Overloaded } from "#store/engine/failures.ts";
import { coalesce } from "./coalesce.ts";

// The clock stands still unless a test moves it: when a batch counts as slow does not depend on how busy the machine is.
const SLOW_MS = 21;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Answers when told to, and notes what it was asked. */
function scripted() {
  const asked: { keys: number[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const lookUp = coalesce<number, string>((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<Map<number, string>>();
    const even = keys.filter((key) => key % 2 === 0);
    asked.push({ keys, answer: () => resolve(new Map(even.map((key) => [key, `row ${key}`]))), fail: reject });
    return promise;
  });
  return { asked, lookUp };
}

test("what arrives together, and while others are being asked for, goes out together; each gets their own", async () => {
  const { asked, lookUp } = scripted();
  const first = [2, 3].map(lookUp);
  await turn();
  const second = [4, 4, 5].map(lookUp);
  await turn();
  expect(asked.map(({ keys }) => keys)).toEqual([[2, 3]]);
  asked[0]?.answer();
  expect(await Promise.all(first)).toEqual(["row 2", null]);
  await turn();
  expect(asked.map(({ keys }) => keys)).toEqual([
    [2, 3],
    [4, 5],
  ]);
  asked[1]?.answer();
  expect(await Promise.all(second)).toEqual(["row 4", "row 4", null]);
});

test("a batch that is slow is overtaken by one more, and no more than one", async () => {
  const { asked, lookUp } = scripted();
  const slow = lookUp(2);
  await turn();
  const next = lookUp(4);
  await turn();
  vi.advanceTimersByTime(SLOW_MS - 1);
  expect(asked).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(asked).toHaveLength(2);
  const last = lookUp(6);
  vi.advanceTimersByTime(10 * SLOW_MS);
  await turn();
  expect(asked).toHaveLength(2);
  asked[1]?.answer();
  expect(await next).toBe("row 4");
  expect(asked).toHaveLength(3);
  for (const { answer } of asked) answer();
  expect(await Promise.all([slow, last])).toEqual(["row 2", "row 6"]);
});

test("whoever comes when a batch has been slow for long goes out at once", async () => {
  const { asked, lookUp } = scripted();
  const stuck = lookUp(2);
  await turn();
  // Well past the moment at which somebody waiting would have overtaken it.
  vi.advanceTimersByTime(3 * SLOW_MS);
  const next = lookUp(4);
  await turn();
  expect(asked).toHaveLength(2);
  asked[1]?.answer();
  expect(await next).toBe("row 4");
  asked[0]?.answer();
  expect(await stuck).toBe("row 2");
});

test("a failure is told to those who asked, and to nobody after them", async () => {
  const { asked, lookUp } = scripted();
  const failing = lookUp(2);
  await turn();
  const waiting = lookUp(4);
  asked[0]?.fail(new Error("no"));
  await expect(failing).rejects.toThrow("no");
  expect(asked).toHaveLength(2);
  asked[1]?.answer();
  expect(await waiting).toBe("row 4");
});

test("a hundred go out at a time; past two thousand waiting, whoever comes is told so", async () => {
  const { asked, lookUp } = scripted();
  const first = lookUp(0);
  await turn();
  const waiting = Array.from({ length: 2_000 }, (_, at) => lookUp(at + 1));
  await expect(lookUp(5_000)).rejects.toBeInstanceOf(Overloaded);
  for (let at = 0; at < 21; at += 1) {
    expect(asked).toHaveLength(at + 1);
    asked[at]?.answer();
    await turn();
  }
  expect(await first).toBe("row 0");
  expect(await waiting.at(-1)).toBe("row 2000");
  expect(Math.max(...asked.map(({ keys }) => keys.length))).toBe(100);
});
