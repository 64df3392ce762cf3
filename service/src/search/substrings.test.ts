import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { createSubstringCounter, SUBSTRING_LIMITS, type Substring } from "./substrings.ts";

const [RANKS_KEPT, ANCHOR_EVERY, LAST_REACHABLE] = [1_000, 100, 10_000];

function countAll(names: readonly string[], few: number, limits = SUBSTRING_LIMITS): Map<string, Substring> {
  const keeping = { few, ranksKept: RANKS_KEPT, anchorEvery: ANCHOR_EVERY, lastReachable: LAST_REACHABLE };
  const counter = createSubstringCounter(keeping, limits);
  const distinct = Map.groupBy(names, (name) => name);
  do for (const [name, same] of distinct) counter.count(name, same.length);
  while (counter.endPass());
  for (const [at, name] of names.entries()) counter.place(name, at + 1);
  return new Map([...counter.list()].map((substring) => [substring.text, substring]));
}

/** The same, by trying every substring of every name. */
function countPlainly(names: readonly string[], few: number): Map<string, number[]> {
  const ranks = new Map<string, number[]>();
  for (const [at, name] of names.entries()) {
    const points = [...name];
    const all = points.flatMap((_, start) =>
      points.slice(start).map((_, size) => points.slice(start, start + size + 1).join("")),
    );
    for (const text of new Set(all)) ranks.set(text, [...(ranks.get(text) ?? []), at + 1]);
  }
  return new Map([...ranks].filter(([, found]) => found.length > few));
}

test("finds every substring that more than a few have", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", "n", " ", "王", "😀"), maxLength: 9 });
  fc.assert(
    fc.property(fc.array(name, { maxLength: 60 }), fc.integer({ min: 0, max: 8 }), (names, few) => {
      const found = countAll(names, few);
      const expected = countPlainly(names, few);
      expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
      for (const [text, ranks] of expected) {
        expect(found.get(text)).toEqual({ text, people: ranks.length, ranks, anchors: [] });
      }
    }),
    { numRuns: scaled(500, 50) },
  );
});

test("keeps the first ranks, then every hundredth up to the last that can be reached", () => {
  const ann = countAll(Array<string>(10_250).fill("ann"), 5_000).get("ann");
  expect(ann?.people).toBe(10_250);
  expect(ann?.ranks).toEqual(Array.from({ length: RANKS_KEPT }, (_, at) => at + 1));
  expect(ann?.anchors).toHaveLength((LAST_REACHABLE - RANKS_KEPT) / ANCHOR_EVERY);
  expect(ann?.anchors.slice(0, 2)).toEqual([1_100, 1_200]);
  expect(ann?.anchors.at(-1)).toBe(LAST_REACHABLE);
});

test("lists what it has nodes for with exact counts, and of too many those that most people have", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", "n", " ", "王", "😀"), maxLength: 9 });
  fc.assert(
    fc.property(
      fc.array(name, { maxLength: 60 }),
      fc.nat({ max: 40 }),
      fc.integer({ min: 1, max: 8 }),
      (names, nodes, listed) => {
        const all = countPlainly(names, 1);
        const found = countAll(names, 1, { nodes, listed });
        expect(found.size).toBeLessThanOrEqual(Math.min(nodes, listed));
        for (const [text, { people }] of found) expect(people).toBe(all.get(text)?.length);
      },
    ),
    { numRuns: 500 },
  );
});

test("lists nothing that is long", () => {
  const found = countAll(Array<string>(10_250).fill("x".repeat(40)), 5_000);
  expect(Math.max(...[...found.keys()].map((text) => text.length))).toBe(32);
});
