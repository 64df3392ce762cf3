import { expect, test, vi } from "vitest";
import { type Answer, createAnswerCache, credentialsKey, listKey, passportKey } from "./answer-cache.ts";

const answer = (passportId: number, wire = "{}"): Answer => ({ passportId, wire, etag: `W/"${passportId}"` });
const open = (options: Partial<Parameters<typeof createAnswerCache>[0]> = {}) =>
  createAnswerCache({ maxBytes: 1_000_000, maxAgeMs: 30_000, lagMs: () => 0, ...options });
const never = () => Promise.reject(new Error("The answer should have been cached."));

test("loads a list once for all concurrent requests, then caches it", async () => {
  const cache = open();
  const load = vi.fn(async () => answer(1));
  const key = listKey(1, 25, "");
  const [first, second] = await Promise.all([cache.find(key, load), cache.find(key, load)]);
  expect(first).toBe(second);
  expect(cache.find(key, never)).toEqual(first);
  expect(load).toHaveBeenCalledTimes(1);
  expect(cache.counts()).toMatchObject({ hits: 1, misses: 2, entries: 1 });
});

test("does not join a failed load", async () => {
  const cache = open();
  const key = listKey(1, 25, "");
  await expect(cache.find(key, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await cache.find(key, async () => answer(1))).toEqual(answer(1));
});

test("does not cache a failure", async () => {
  const cache = open();
  await expect(cache.find("p1", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await cache.find("p1", async () => answer(1))).toEqual(answer(1));
});

test("invalidates a person under the id and every wallet, in both endpoints, and no other person", async () => {
  const cache = open();
  const keys = [passportKey(1), passportKey("0xa"), passportKey("0xb"), credentialsKey(1), credentialsKey("0xa")];
  for (const key of keys) await cache.find(key, async () => answer(1));
  await cache.find(passportKey(2), async () => answer(2));
  cache.invalidatePeople([1]);
  for (const key of keys) expect(await cache.find(key, async () => answer(3))).toEqual(answer(3));
  expect(cache.find(passportKey(2), never)).toEqual(answer(2));
});

test("invalidates all pages of the list without invalidating people", async () => {
  const cache = open();
  await cache.find(listKey(1, 25, ""), async () => ({ wire: "old", etag: "" }));
  await cache.find(passportKey(2), async () => answer(2));
  cache.invalidateLists();
  expect(await cache.find(listKey(1, 25, ""), async () => ({ wire: "new", etag: "" }))).toMatchObject({ wire: "new" });
  expect(cache.find(passportKey(2), never)).toEqual(answer(2));
});

test("returns, but does not cache, an answer whose load began before an invalidation", async () => {
  const cache = open();
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const loading = cache.find("p1", () => promise);
  cache.invalidatePeople([1]);
  resolve(answer(1, "old"));
  expect(await loading).toMatchObject({ wire: "old" });
  expect(await cache.find("p1", async () => answer(1, "new"))).toMatchObject({ wire: "new" });
});

test("expires answers after their TTL, which is shorter for a 404 and under replication lag", async () => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ["performance", "Date", "setTimeout", "clearTimeout"] });
  // The LRU library treats a start time of 0 as unset.
  vi.advanceTimersByTime(1_000);
  try {
    let lag = 0;
    const cache = open({ lagMs: () => lag });
    await cache.find("p1", async () => answer(1));
    await cache.find("p2", async () => null);
    lag = 20_000;
    await cache.find("p3", async () => answer(3));
    const isCached = async (key: string) => (await cache.find(key, async () => answer(9)))?.passportId !== 9;
    vi.advanceTimersByTime(1_900);
    expect(cache.find("p2", never)).toBeNull();
    vi.advanceTimersByTime(200);
    expect(await isCached("p2")).toBe(false);
    vi.advanceTimersByTime(7_800);
    expect(cache.find("p3", never)).toEqual(answer(3));
    vi.advanceTimersByTime(200);
    expect(await isCached("p3")).toBe(false);
    vi.advanceTimersByTime(19_800);
    expect(cache.find("p1", never)).toEqual(answer(1));
    vi.advanceTimersByTime(200);
    expect(await isCached("p1")).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

test("caches nothing if the TTL is 0", async () => {
  const cache = open({ maxAgeMs: 0 });
  await cache.find("p1", async () => answer(1));
  expect(await cache.find("p1", async () => answer(2))).toEqual(answer(2));
});

test("stays within its size limit, and evicts the least recently used answers", async () => {
  const cache = open({ maxBytes: 100_000 });
  for (let id = 1; id <= 1_000; id += 1) {
    for (const _ of [1, 2]) await cache.find(passportKey(`0x${id}`), async () => answer(id, "ж".repeat(500)));
    await cache.find(passportKey("0x1"), async () => answer(1, "ж".repeat(500)));
  }
  const { bytes, entries } = cache.counts();
  expect(bytes).toBeLessThanOrEqual(100_000);
  expect(entries).toBeGreaterThan(50);
  expect(cache.find(passportKey("0x1"), never)).toMatchObject({ passportId: 1 });
  const huge = async () => answer(5_000, "x".repeat(50_000));
  await cache.find(passportKey(5_000), huge);
  expect(cache.counts().entries).toBeGreaterThan(50);
});

test("admits a person or a page to a full cache on the second miss", async () => {
  const cache = open({ maxBytes: 100_000 });
  const find = (id: number) => cache.find(passportKey(id), async () => answer(id));
  for (let id = 1; id <= 1_000; id += 1) await find(id);
  expect(cache.find(passportKey(1), never)).toEqual(answer(1));
  await find(2_000);
  await find(2_000);
  expect(cache.find(passportKey(2_000), never)).toEqual(answer(2_000));
  const page = () => cache.find(listKey(1, 25, ""), async () => ({ wire: "{}", etag: "" }));
  await page();
  await page();
  expect(cache.find(listKey(1, 25, ""), never)).toMatchObject({ wire: "{}" });
});

test("does not join a load that began before an invalidation", async () => {
  const cache = open();
  const key = listKey(1, 25, "");
  const slow = Promise.withResolvers<Answer>();
  const before = cache.find(key, () => slow.promise);
  const joined = cache.find(key, never);
  for (const invalidate of [() => cache.invalidatePeople([1]), cache.invalidateLists, cache.invalidateAll]) {
    invalidate();
    expect(await cache.find(key, async () => null)).toBeNull();
  }
  slow.resolve(answer(1));
  expect(await before).toEqual(answer(1));
  expect(await joined).toEqual(answer(1));
  // The answer of the old load is not cached either.
  expect(await cache.find(key, never)).toBeNull();
});

test("purges expired answers to make room", async () => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ["performance", "Date", "setTimeout", "clearTimeout"] });
  vi.advanceTimersByTime(10_000);
  try {
    const cache = open({ maxBytes: 100_000 });
    const find = (id: number) => cache.find(passportKey(id), async () => answer(id));
    for (let id = 1; id <= 1_000; id += 1) await find(id);
    vi.advanceTimersByTime(31_000);
    await find(2_000);
    expect(cache.find(passportKey(2_000), never)).toEqual(answer(2_000));
    expect(cache.counts().entries).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});
