import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { fold } from "./fold.ts";

describe("fold", () => {
  test.each([
    ["José", "jose"],
    ["STRASSE", "straße"],
    ["οδος", "ΟΔΟΣ"],
    ["ὀδός", "ΟΔΟΣ"],
    ["İstanbul", "istanbul"],
    ["ISTANBUL", "ıstanbul"],
    ["Łódź", "lodz"],
    ["Søren Ærø", "soren aero"],
    ["Đặng Þór", "dang thor"],
    ["ﬁlm ＡＢＣ ①", "film abc 1"],
    ["مُحَمَّد", "محمد"],
    ["محـــمد", "محمد"],
    ["أحمد", "احمد"],
    ["שָׁלוֹם", "שלום"],
    ["Ёлка Йод", "елка иод"],
    ["CAFE\u0301", "café"],
    ["ǅ", "dž"],
  ])("%s and %s fold to the same text", (a, b) => {
    expect(fold(a)).toBe(fold(b));
  });

  test.each([
    ["कि", "क"],
    ["ที่", "ท"],
    ["が", "か"],
    ["王", "玉"],
    ["a", "b"],
  ])("%s and %s fold to different texts", (a, b) => {
    expect(fold(a)).not.toBe(fold(b));
  });

  test("is idempotent for every code point, by itself and between letters", () => {
    // Above 0x20000 there are only ideographs and unassigned code points: CI tests a sample.
    const step = Math.ceil(10 / scaled(10, 1));
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += codePoint < 0x20000 ? 1 : step) {
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
      const letter = String.fromCodePoint(codePoint);
      for (const text of [letter, `a${letter}b`]) {
        const folded = fold(text);
        if (fold(folded) !== folded) expect.fail(`U+${codePoint.toString(16)}`);
      }
    }
  });

  test("is idempotent for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
      { numRuns: scaled(5_000, 500) },
    );
  });
});
