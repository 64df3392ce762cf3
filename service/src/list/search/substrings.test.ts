import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { createSubstringFinder, SUBSTRING_LIMITS, type Substring } from "./substrings.ts";

const [MAX_RANKS, ANCHOR_INTERVAL, LAST_REACHABLE] = [1_000, 100, 10_000];

function findSubstrings(names: readonly string[], threshold: number, limits = SUBSTRING_LIMITS) {
  const recorded = { maxRanks: MAX_RANKS, anchorInterval: ANCHOR_INTERVAL, lastReachable: LAST_REACHABLE };
  const finder = createSubstringFinder({ threshold, ...recorded }, limits);
  const distinct = Map.groupBy(names, (name) => name);
  do for (const [name, people] of distinct) finder.countName(name, people.length);
  while (finder.endPass());
  for (const [index, name] of names.entries()) finder.recordRank(name, index + 1);
  return new Map<string, Substring>([...finder.list()].map((substring) => [substring.text, substring]));
}

/** An independent implementation: tries every substring of every name. */
function findByBruteForce(names: readonly string[], threshold: number): Map<string, number[]> {
  const ranks = new Map<string, number[]>();
  for (const [index, name] of names.entries()) {
    const points = [...name];
    const all = points.flatMap((_, start) =>
      points.slice(start).map((_, size) => points.slice(start, start + size + 1).join("")),
    );
    for (const text of new Set(all)) ranks.set(text, [...(ranks.get(text) ?? []), index + 1]);
  }
  return new Map([...ranks].filter(([, found]) => found.length > threshold));
}

test("finds every substring that more people than the threshold share", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", "n", " ", "王", "😀"), maxLength: 9 });
  fc.assert(
    fc.property(fc.array(name, { maxLength: 60 }), fc.integer({ min: 0, max: 8 }), (names, threshold) => {
      const found = findSubstrings(names, threshold);
      const expected = findByBruteForce(names, threshold);
      expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
      for (const [text, ranks] of expected) {
        expect(found.get(text)).toEqual({ text, people: ranks.length, ranks, anchors: [] });
      }
    }),
    { numRuns: scaled(500, 50) },
  );
});

test("records the first ranks, then the rank of every hundredth match up to the last reachable match", () => {
  const ann = findSubstrings(Array<string>(10_250).fill("ann"), 5_000).get("ann");
  expect(ann?.people).toBe(10_250);
  expect(ann?.ranks).toEqual(Array.from({ length: MAX_RANKS }, (_, index) => index + 1));
  expect(ann?.anchors).toHaveLength((LAST_REACHABLE - MAX_RANKS) / ANCHOR_INTERVAL);
  expect(ann?.anchors.slice(0, 2)).toEqual([1_100, 1_200]);
  expect(ann?.anchors.at(-1)).toBe(LAST_REACHABLE);
});

test("lists exact counts within its limits", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", "n", " ", "王", "😀"), maxLength: 9 });
  fc.assert(
    fc.property(
      fc.array(name, { maxLength: 60 }),
      fc.nat({ max: 40 }),
      fc.integer({ min: 1, max: 8 }),
      (names, maxNodes, maxListed) => {
        const all = findByBruteForce(names, 1);
        const found = findSubstrings(names, 1, { maxNodes, maxListed });
        expect(found.size).toBeLessThanOrEqual(Math.min(maxNodes, maxListed));
        for (const [text, { people }] of found) expect(people).toBe(all.get(text)?.length);
      },
    ),
    { numRuns: 500 },
  );
});

test("lists no substring of more than 32 characters", () => {
  const found = findSubstrings(Array<string>(10_250).fill("x".repeat(40)), 5_000);
  expect(Math.max(...[...found.keys()].map((text) => text.length))).toBe(32);
});
