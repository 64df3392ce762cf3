import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { createBuckets } from "./bucket-store.ts";
import { createLimiter, type Limiter } from "./limiter.ts";

const LIMIT = 250;
const PER_MS = LIMIT / 10_000;

test("a client within its limit is never refused", () => {
  // Each client follows an exact bucket.
  const step = fc.record({
    pauseMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 15_000 })),
    points: fc.constantFrom(1, 2, 4, 10),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      let time = 0;
      let drainedAt = 0;
      const limiter = createLimiter(() => time);
      for (const { pauseMs, points } of steps) {
        time += pauseMs;
        const cost = points / PER_MS;
        // Sends at the first moment at which the limit allows it.
        time = Math.max(time, Math.max(drainedAt, time) + cost - 10_000);
        drainedAt = Math.max(drainedAt, time) + cost;
        expect(limiter.admit({ address: "192.0.2.1" }, points, LIMIT).waitMs).toBeLessThan(1e-6);
      }
    }),
    { numRuns: scaled(1_000, 100) },
  );
});

test("a client that has spent nothing can send any request, whatever its cost and the limit", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 1, max: 5_000 }), (points, limit) => {
      let time = 0;
      const limiter = createLimiter(() => time);
      const admit = () => limiter.admit({ address: "192.0.2.1" }, points, limit);
      const first = admit();
      expect(first.waitMs).toBe(0);
      time = first.fullInMs;
      expect(admit().waitMs).toBe(0);
    }),
  );
});

test.each([2, 10, 100])("a client at %d times its limit gets at most its limit per minute", (factor) => {
  let time = 0;
  const limiter = createLimiter(() => time);
  const sentAt: number[] = [];
  for (; time < 180_000; time += 1 / (PER_MS * factor)) {
    if (limiter.admit({ address: "192.0.2.1" }, 1, LIMIT).waitMs === 0) sentAt.push(time);
  }
  const perMinute = LIMIT + PER_MS * 60_000;
  for (let from = 0; from <= 120_000; from += 1_000) {
    expect(sentAt.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(perMinute + 1);
  }
  // It is not locked out either.
  expect(sentAt.length).toBeGreaterThan(0.9 * PER_MS * 180_000);
});

test("of a burst of 40 requests of ten points, 25 pass; then one every 400 ms", () => {
  let time = 0;
  const limiter = createLimiter(() => time);
  const send = () => limiter.admit({ address: "192.0.2.1" }, 10, LIMIT);
  const results = Array.from({ length: 40 }, send);
  expect(results.filter(({ waitMs }) => waitMs === 0)).toHaveLength(25);
  expect(results[0]).toEqual({ waitMs: 0, remaining: 240, fullInMs: 400, refusals: 0 });
  expect(results.at(-1)).toEqual({ waitMs: 400, remaining: 0, fullInMs: 10_000, refusals: 15 });
  time = 399;
  expect(send().waitMs).toBe(1);
  time = 400;
  expect(send().waitMs).toBe(0);
});

test("keys and addresses have separate buckets, and keys their own limits", () => {
  const limiter = createLimiter(() => 0);
  const spendAll = (client: Parameters<Limiter["admit"]>[0], limit: number): number => {
    let admitted = 0;
    while (limiter.admit(client, 10, limit).waitMs === 0) admitted += 10;
    return admitted;
  };
  expect(spendAll({ address: "192.0.2.1" }, 250)).toBe(250);
  expect(spendAll({ keyId: "a" }, 2_500)).toBe(2_500);
  expect(spendAll({ keyId: "b" }, 50)).toBe(50);
  expect(spendAll({ address: "192.0.2.2" }, 250)).toBe(250);
});

describe("with a full memory", () => {
  const addressOf = (at: number): string => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;

  test("new addresses share the bucket of their network, and debts stay", () => {
    let time = 0;
    const limiter = createLimiter(() => time, createBuckets(100));
    for (let index = 0; index < 100; index += 1) limiter.admit({ address: addressOf(index) }, 250, LIMIT);
    // 10.0.1.0 and 10.0.1.1 are new, and share a bucket.
    expect(limiter.admit({ address: "10.0.1.0" }, 240, LIMIT).waitMs).toBe(0);
    expect(limiter.admit({ address: "10.0.1.1" }, 20, LIMIT).waitMs).toBeGreaterThan(0);
    expect(limiter.admit({ address: addressOf(7) }, 1, LIMIT).waitMs).toBeGreaterThan(0);
    // Once the old buckets have drained, there is room again.
    time = 10_000;
    expect(limiter.admit({ address: "10.0.1.1" }, 250, LIMIT).waitMs).toBe(0);
  });

  test("very many addresses need bounded memory", () => {
    const limiter = createLimiter(() => 0);
    for (let index = 0; index < 400_000; index += 1) limiter.admit({ address: addressOf(index) }, 1, LIMIT);
    expect(limiter.size()).toBeLessThanOrEqual(100_000 + 65_536);
  });
});
