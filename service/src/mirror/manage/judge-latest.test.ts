import type { Latest } from "@credence/contract/snapshot.ts";
import { expect, test } from "vitest";
import { FEED } from "#testing/publisher.ts";
import { isFresh, judgeLatest, NOTHING_STORED, type Remembered } from "./judge-latest.ts";

const at = (hours: number): Date => new Date(Date.UTC(2026, 10, 18, 10) + hours * 3_600_000);

const latestOf = (hours: number, changes: Partial<Latest> = {}): Latest => ({
  format: "credence-latest",
  version: 1,
  feed: FEED,
  snapshot: "2026-11-18T100000Z",
  manifest_sha256: "a".repeat(64),
  created_at: at(hours).toISOString(),
  at: at(hours).toISOString(),
  expires_at: at(hours + 6).toISOString(),
  ...changes,
});

const STORED: Remembered = {
  feed: FEED,
  latest_at: at(0),
  polled_at: at(0),
  created_at: at(0),
  manifest_sha256: "a".repeat(64),
  continues: null,
};

test("the first snapshot and a newer one are imported, the stored one is not", () => {
  expect(judgeLatest(latestOf(0), NOTHING_STORED, at(1))).toBe("newer");
  expect(judgeLatest(latestOf(0), STORED, at(1))).toBe("same");
  expect(judgeLatest(latestOf(1), STORED, at(1))).toBe("newer");
  expect(judgeLatest(latestOf(0), { ...STORED, manifest_sha256: null }, at(1))).toBe("newer");
});

test.each<[string, Latest, Partial<Remembered>, number, string]>([
  ["an expiry beyond six hours does not count", latestOf(0, { expires_at: at(99).toISOString() }), {}, 6, "expired at"],
  ["a database whose clock went back", latestOf(-3), { created_at: null, latest_at: null }, -3, "clock went back"],
  ["a snapshot of the future", latestOf(1, { created_at: at(2).toISOString() }), {}, 1, "in the future"],
  ["the old publisher after a take-over", latestOf(2), { continues: at(-1) }, 2, "continues no other publisher"],
  [
    "a take-over that lacks the last snapshot",
    latestOf(2, { continues: at(-1).toISOString() }),
    {},
    2,
    "continues the snapshot of",
  ],
])("%s", (_, latest, stored, hours, message) => {
  expect(() => judgeLatest(latest, { ...STORED, ...stored }, at(hours))).toThrow(message);
});

test("a take-over of the stored snapshot is followed, and another after it", () => {
  const first = latestOf(2, { continues: at(0).toISOString() });
  expect(judgeLatest(first, STORED, at(2))).toBe("newer");
  const second = latestOf(4, { continues: at(2).toISOString() });
  expect(judgeLatest(second, { ...STORED, created_at: at(2), continues: at(0) }, at(4))).toBe("newer");
});

test("a mirror is fresh for six hours after the last signature, unless the clock went back", () => {
  const stored = { created_at: at(0), latest_at: at(0), expires_at: at(6) };
  const fresh = [0, 5.99, 6, -0.1, -0.2].map((hours) => isFresh(stored, at(hours)));
  expect(fresh).toEqual([true, true, false, true, false]);
  expect(isFresh({ ...stored, created_at: null }, at(1))).toBe(false);
});
