import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { elementsOf } from "../../testing/parse-page.ts";
import { anyPassport, passportOf } from "../../testing/people.ts";
import { formatElapsed } from "../dates.ts";
import { badge, badgeText } from "./badge.ts";
import { axisLabel, hundredths, tenths } from "./figures.ts";
import { scaleOf } from "./scale.ts";

describe("scales", () => {
  test.each([
    [[0], [1]],
    [
      [306, 277.5],
      [100, 200, 300, 400],
    ],
    [[212], [50, 100, 150, 200, 250]],
    [
      [30, 12],
      [10, 20, 30],
    ],
    [[0.3], [0.1, 0.2, 0.3]],
    [[1e15], [2e14, 4e14, 6e14, 8e14, 1e15]],
  ])("%j has the steps %j", (values, steps) => {
    expect(scaleOf(values).steps).toEqual(steps);
  });

  test("with more steps, the end is closer to the largest value", () => {
    expect([306, 46.5, 5.5].map((value) => scaleOf([value], 10).end)).toEqual([350, 50, 6]);
  });

  test("every value fits, in at most five steps of 1, 2 or 5 times a power of ten", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e15, noNaN: true })), (values) => {
        const { end, steps } = scaleOf(values);
        expect(Math.max(0, ...values)).toBeLessThanOrEqual(end * (1 + 1e-8));
        expect(steps.length).toBeLessThanOrEqual(5);
        expect((steps[0] as number).toExponential()).toMatch(/^[125]e/);
      }),
    );
  });
});

test.each([
  [0, "0.0", "0"],
  [9.5, "9.5", "9.5"],
  [0.01, "<0.1", "0.01"],
  [0.001, "<0.1", "<0.01"],
  [1_204, "1,204.0", "1,204"],
  [12.345, "12.3", "12.35"],
])("%d is shown as %s in rows and as %s in sentences", (value, inRows, inSentences) => {
  expect([tenths(value), hundredths(value)]).toEqual([inRows, inSentences]);
});

test("all tenths are printed as the format of the language prints them", () => {
  const format = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  for (let count = 0; count <= 12_000; count += 1) expect(tenths(count / 10)).toBe(format.format(count / 10));
});

test("an axis has room for short labels only", () => {
  expect([0.1, 50, 250_000, 2e6, 1e15].map(axisLabel)).toEqual(["0.1", "50", "250K", "2M", "1000T"]);
});

test.each([
  ["2026-11-16T12:00:00Z", "less than a day"],
  ["2026-11-15", "1 day"],
  ["2026-09-20", "57 days"],
  ["2026-05-16", "6 months"],
  ["2024-05-28", "2 years and 5 months"],
  ["2025-11-16", "1 year"],
])("from %s to the date of the test: %s", (date, span) => {
  expect(formatElapsed(new Date(date), new Date("2026-11-16T23:00:00Z"))).toBe(span);
});

describe("badges", () => {
  test("show the score, its month and the parts", () => {
    const image = badge(passportOf()).toString();
    expect(image).toContain("<title>Passport score: 82.5, May 2024</title>");
    expect(elementsOf(image).filter(({ tagName }) => tagName === "rect")).toHaveLength(4);
  });

  test("the neutral badge has no score", () => {
    expect(badge(null).toString()).toContain("<title>Passport score: not shown</title>");
  });

  test("contain no text of the record", () => {
    fc.assert(
      fc.property(anyPassport, (passport) => {
        expect(badgeText(passport)).toMatch(/^Passport score: (?:none|<?[\d,.]+(?:, [A-Z][a-z]{2,3} \d{1,4})?)$/);
        expect(badge(passport).toString()).not.toMatch(/<(?!\/?(?:svg|title|rect|text|path)\b)|NaN|Infinity/);
      }),
    );
  });
});
