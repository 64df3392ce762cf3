import { expect, test, vi } from "vitest";
import { type Answer, createAnswerCache, credentialsKey, listKey, passportKey } from "./answer-cache.ts";

const answer = (passportId: number, wire = "{}"): Answer => ({ passportId, wire, etag: `W/"${passportId}"` });
const open = (options: Partial<Parameters<typeof createAnswerCache>[0]> = {}) =>
  createAnswerCache({ maxBytes: 1_000_000, maxAgeMs: 30_000, lagMs: () => 0, ...options });
const never = () => Promise.reject(new Error("It should have been kept."));

test("a list is loaded once for all concurrent requests, and then cached", async () => {
  const cache = open();
  const load = vi.fn(async () => answer(1));
  const key = listKey(1, 25, "");
  const [one, other] = await Promise.all([cache.find(key, load), cache.find(key, load)]);
  expect(one).toBe(other);
  expect(cache.find(key, never)).toEqual(one);
  expect(load).toHaveBeenCalledTimes(1);
  expect(cache.counts()).toMatchObject({ hits: 1, misses: 2, entries: 1 });
});

test("a failed load is not joined by later requests", async () => {
  const cache = open();
  const key = listKey(1, 25, "");
  await expect(cache.find(key, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await cache.find(key, async () => answer(1))).toEqual(answer(1));
});

test("a failure is not kept", async () => {
  const cache = open();
  await expect(cache.find("p1", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await cache.find("p1", async () => answer(1))).toEqual(answer(1));
});

test("a person is forgotten under their id and every wallet, in both endpoints, and nobody else is", async () => {
  const cache = open();
  const keys = [passportKey(1), passportKey("0xa"), passportKey("0xb"), credentialsKey(1), credentialsKey("0xa")];
  for (const key of keys) await cache.find(key, async () => answer(1));
  await cache.find(passportKey(2), async () => answer(2));
  cache.invalidatePeople([1]);
  for (const key of keys) expect(await cache.find(key, async () => answer(3))).toEqual(answer(3));
  expect(cache.find(passportKey(2), never)).toEqual(answer(2));
});

test("pages of the list are forgotten together; people are not", async () => {
  const cache = open();
  await cache.find(listKey(1, 25, ""), async () => ({ wire: "old", etag: "" }));
  await cache.find(passportKey(2), async () => answer(2));
  cache.invalidateLists();
  expect(await cache.find(listKey(1, 25, ""), async () => ({ wire: "new", etag: "" }))).toMatchObject({ wire: "new" });
  expect(cache.find(passportKey(2), never)).toEqual(answer(2));
});

test("what was being loaded when something was forgotten is answered, and not kept", async () => {
  const cache = open();
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const asked = cache.find("p1", () => promise);
  cache.invalidatePeople([1]);
  resolve(answer(1, "old"));
  expect(await asked).toMatchObject({ wire: "old" });
  expect(await cache.find("p1", async () => answer(1, "new"))).toMatchObject({ wire: "new" });
});

test("nothing gets older than it may: less so what is missing, or came late", async () => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ["performance", "Date", "setTimeout", "clearTimeout"] });
  // At 0 the library takes a time for none.
  vi.advanceTimersByTime(1_000);
  try {
    let lag = 0;
    const cache = open({ lagMs: () => lag });
    await cache.find("p1", async () => answer(1));
    await cache.find("p2", async () => null);
    lag = 20_000;
    await cache.find("p3", async () => answer(3));
    const isKept = async (key: string) => (await cache.find(key, async () => answer(9)))?.passportId !== 9;
    vi.advanceTimersByTime(1_900);
    expect(cache.find("p2", never)).toBeNull();
    vi.advanceTimersByTime(200);
    expect(await isKept("p2")).toBe(false);
    vi.advanceTimersByTime(7_800);
    expect(cache.find("p3", never)).toEqual(answer(3));
    vi.advanceTimersByTime(200);
    expect(await isKept("p3")).toBe(false);
    vi.advanceTimersByTime(19_800);
    expect(cache.find("p1", never)).toEqual(answer(1));
    vi.advanceTimersByTime(200);
    expect(await isKept("p1")).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

test("with an age of nothing, nothing is kept", async () => {
  const cache = open({ maxAgeMs: 0 });
  await cache.find("p1", async () => answer(1));
  expect(await cache.find("p1", async () => answer(2))).toEqual(answer(2));
});

test("it takes no more than its bytes, whatever is asked for, and keeps what was used last", async () => {
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

test("once it is full, a person or a page is kept when asked for again", async () => {
  const cache = open({ maxBytes: 100_000 });
  const ask = (id: number) => cache.find(passportKey(id), async () => answer(id));
  for (let id = 1; id <= 1_000; id += 1) await ask(id);
  expect(cache.find(passportKey(1), never)).toEqual(answer(1));
  await ask(2_000);
  await ask(2_000);
  expect(cache.find(passportKey(2_000), never)).toEqual(answer(2_000));
  const page = () => cache.find(listKey(1, 25, ""), async () => ({ wire: "{}", etag: "" }));
  await page();
  await page();
  expect(cache.find(listKey(1, 25, ""), never)).toMatchObject({ wire: "{}" });
});

test("pages past the end are never kept, so that no number of them pushes anything out", async () => {
  const cache = open({ maxBytes: 100_000 });
  for (let page = 1; page <= 1_000; page += 1) {
    await cache.find(listKey(page, 25, ""), async () => ({ wire: "{}", etag: "", uncached: true }));
  }
  expect(cache.counts().entries).toBe(0);
});

test("a request after a notice does not join a load that began before it", async () => {
  const cache = open();
  const key = listKey(1, 25, "");
  const slow = Promise.withResolvers<Answer>();
  const before = cache.find(key, () => slow.promise);
  const joined = cache.find(key, never);
  for (const forget of [() => cache.invalidatePeople([1]), cache.invalidateLists, cache.invalidateAll]) {
    forget();
    expect(await cache.find(key, async () => null)).toBeNull();
  }
  slow.resolve(answer(1));
  expect(await before).toEqual(answer(1));
  expect(await joined).toEqual(answer(1));
  // What the old load brought is not kept either.
  expect(await cache.find(key, never)).toBeNull();
});

test("what is too old makes room for new people", async () => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ["performance", "Date", "setTimeout", "clearTimeout"] });
  vi.advanceTimersByTime(10_000);
  try {
    const cache = open({ maxBytes: 100_000 });
    const ask = (id: number) => cache.find(passportKey(id), async () => answer(id));
    for (let id = 1; id <= 1_000; id += 1) await ask(id);
    vi.advanceTimersByTime(31_000);
    await ask(2_000);
    expect(cache.find(passportKey(2_000), never)).toEqual(answer(2_000));
    expect(cache.counts().entries).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});
