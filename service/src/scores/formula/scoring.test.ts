import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printNumber } from "#people/present/json.ts";
import { credential } from "#testing/people.ts";
import { scaled } from "#testing/scale.ts";
import { findDifferences, joinDifferences } from "./differences.ts";
import { explainChange } from "./explain.ts";
import { sumFixedPoints, toFixedPoint, toScore } from "./fixed-point.ts";
import { scoreCredentials } from "./score.ts";

const score = fc.oneof(
  fc.integer({ min: 0, max: 1_000 }),
  fc.double({ min: 0, max: 10_000, noNaN: true }),
  // Two decimals, and seven decimals whose last digit is the 5 that decides the rounding.
  fc.integer({ min: 0, max: 10_000_000 }).map((hundredths) => hundredths / 100),
  fc.integer({ min: 0, max: 10_000_000 }).map((halves) => Number(`${halves}5e-7`)),
);
const category = fc.constantFrom("Activity", "Identity", "Skills", "Karma", "constructor", "__proto__", "skills");
const scoring = fc.record({ category, score, max_score: score });
const credentials = fc
  .uniqueArray(fc.record({ id: fc.string({ maxLength: 3 }), category, score, max_score: score }), {
    selector: ({ id }) => id,
    maxLength: 12,
  })
  .map((list) => list.map(({ id, ...rest }) => credential(id, rest)));

/** An independent implementation of the sum, on decimal digits. */
function addDecimals(numbers: readonly number[]): number {
  const millionths = numbers.reduce((sum, number) => sum + BigInt(roundToMillionths(number)), 0n);
  return Number(`${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, "0")}`);
}

function roundToMillionths(number: number): string {
  const [whole = "0", fraction = ""] = printNumber(number).split(".");
  const up = Number(fraction[6] ?? 0) >= 5 ? 1n : 0n;
  return String(BigInt(whole + fraction.slice(0, 6).padEnd(6, "0")) + up);
}

describe("scoreCredentials", () => {
  test("adds up the credentials of counted categories, each up to its maximum", () => {
    const { scores, uncounted } = scoreCredentials([
      { category: "Activity", score: 3, max_score: 10 },
      { category: "Activity", score: 30, max_score: 10 },
      { category: "Identity", score: 0.1, max_score: 1 },
      { category: "Identity", score: 0.2, max_score: 1 },
      { category: "Skills", score: 5, max_score: 0 },
      { category: "Karma", score: 5, max_score: 10 },
      { category: "Karma", score: 6, max_score: 10 },
    ]);
    expect(scores).toEqual({ activity_score: 13, identity_score: 0.3, skills_score: 0, score: 13.3 });
    expect(uncounted).toEqual(["Karma"]);
  });

  test("all scores are 0 without credentials", () => {
    expect(scoreCredentials([]).scores).toEqual({ activity_score: 0, identity_score: 0, skills_score: 0, score: 0 });
  });

  test("does not depend on the order of credentials", () => {
    const shuffled = fc
      .array(scoring)
      .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
    fc.assert(
      fc.property(shuffled, ([list, reordered]) => {
        expect(scoreCredentials(reordered).scores).toEqual(scoreCredentials(list).scores);
      }),
    );
  });

  test("counts two equal credentials twice", () => {
    fc.assert(
      fc.property(fc.array(scoring), (list) => {
        const { scores } = scoreCredentials(list);
        const { scores: twice } = scoreCredentials([...list, ...list]);
        expect(twice.score).toBe(addDecimals([scores.score, scores.score]));
      }),
    );
  });

  test("ignores the part of a score above its maximum", () => {
    fc.assert(
      fc.property(fc.array(scoring), fc.nat(), (list, more) => {
        const capped = list.map((item) => ({ ...item, score: Math.min(item.score, item.max_score) }));
        expect(scoreCredentials(capped).scores).toEqual(scoreCredentials(list).scores);
        const raised = list.map((item) =>
          item.score >= item.max_score ? { ...item, score: item.score + more } : item,
        );
        expect(scoreCredentials(raised).scores).toEqual(scoreCredentials(list).scores);
      }),
    );
  });

  test("rounds each credential to a millionth and adds the decimals exactly", () => {
    fc.assert(
      fc.property(fc.array(scoring), (list) => {
        const { scores } = scoreCredentials(list);
        const counted = (...names: string[]) =>
          addDecimals(
            list.filter((item) => names.includes(item.category)).map((item) => Math.min(item.score, item.max_score)),
          );
        expect(scores).toEqual({
          activity_score: counted("Activity"),
          identity_score: counted("Identity"),
          skills_score: counted("Skills"),
          score: counted("Activity", "Identity", "Skills"),
        });
      }),
      { numRuns: scaled(1_000, 100) },
    );
  });

  test.each([
    [0.000_000_4, 0],
    [0.000_000_5, 0.000_001],
    [0.999_999_6, 1],
    [7.0000075, 7.000008],
    [0.0079195, 0.00792],
    [0.0000005, 0.000001],
    [5e-324, 0],
    [10 ** 15, 10 ** 15],
    [999_999_999_999_999.9, 999_999_999_999_999.9],
  ])("%d counts as %d", (value, counted) => {
    expect(toScore(toFixedPoint(value))).toBe(counted);
  });

  test("adding 0.1 very often is exact", () => {
    const times = scaled(10_000_000, 100_000);
    expect(toScore(sumFixedPoints(Array.from({ length: times }, () => toFixedPoint(0.1))))).toBe(times / 10);
  });

  test("throws if the sum exceeds the maximum of V1", () => {
    const huge = { category: "Skills", score: 10 ** 15, max_score: 10 ** 15 };
    expect(scoreCredentials([huge]).scores.score).toBe(10 ** 15);
    expect(() => scoreCredentials([huge, huge])).toThrow("the maximum of V1 is 10^15");
  });
});

describe("differences", () => {
  test("contain the added, removed and changed credentials only", () => {
    const before = [credential("a", { score: 1 }), credential("b", { score: 2 }), credential("c", { score: 3 })];
    const after = [credential("a", { score: 1, name: "New name" }), credential("b", { score: 20 }), credential("d")];
    expect(findDifferences(before, after)).toEqual([
      { id: "b", name: "Credential b", category: "Skills", from: 2, to: 10 },
      { id: "c", name: "Credential c", category: "Skills", from: 3, to: null },
      { id: "d", name: "Credential d", category: "Skills", from: null, to: 5 },
    ]);
  });

  test("a change of category is a removal and an addition", () => {
    const moved = findDifferences([credential("a")], [credential("a", { category: "Identity" })]);
    expect(moved.map(({ category, from, to }) => [category, from, to])).toEqual([
      ["Skills", 5, null],
      ["Identity", null, 5],
    ]);
  });

  test("explain every change of score, per step and joined", () => {
    fc.assert(
      fc.property(fc.array(credentials, { minLength: 2, maxLength: 5 }), (states) => {
        const steps = states.slice(1).map((after, index) => findDifferences(states[index] ?? [], after));
        const scores = states.map((state) => scoreCredentials(state).scores.score);
        for (const [index, step] of steps.entries()) {
          expect(explainChange(scores[index] ?? 0, scores[index + 1] ?? 0, step).unexplained).toBe(0);
        }
        const joined = joinDifferences(steps);
        expect(explainChange(scores[0] ?? 0, scores.at(-1) ?? 0, joined).unexplained).toBe(0);
        const direct = findDifferences(states[0] ?? [], states.at(-1) ?? []);
        const points = (list: typeof joined) =>
          list.map(({ id, category, from, to }) => [id, category, from, to]).sort();
        expect(points(joined)).toEqual(points(direct));
      }),
    );
  });

  test("return the unexplained part of a change", () => {
    expect(explainChange(90, 100, [])).toEqual({ by: 10, unexplained: 10 });
    expect(explainChange(null, 5.1, [{ category: "Skills", from: null, to: 5.1 }])).toEqual({
      by: 5.1,
      unexplained: 0,
    });
    expect(explainChange(5, 5, [{ category: "Karma", from: null, to: 7 }])).toEqual({ by: 0, unexplained: 0 });
  });
});
