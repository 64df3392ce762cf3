import { singlePassportAnswer } from "@credence/contract/answer-bytes.ts";
import { PassportCredentials, SinglePassport } from "@credence/contract/answers.ts";
import type { Credential } from "@credence/contract/credential.ts";
import { EXAMPLES } from "@credence/contract/examples.ts";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { describe, expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { presentCredentials } from "./credentials.ts";
import { presentPassport } from "./passport.ts";

const anyText = fc.string({ unit: "binary" });
const isSinglePassport = Compile(SinglePassport);
const isCredentials = Compile(PassportCredentials);

describe("presentPassport", () => {
  test("prints the same as JSON.stringify where no number needs an exponent", () => {
    const { passport } = EXAMPLES.single;
    const { body, tail } = presentPassport(passport);
    expect(singlePassportAnswer(body, tail)).toBe(JSON.stringify(EXAMPLES.single));
    expect(body).toBe(JSON.stringify(EXAMPLES.list.passports[0]));
  });

  test("does not depend on the order of the input's keys", () => {
    const { passport } = EXAMPLES.single;
    const reversed = Object.fromEntries(Object.entries(passport).reverse()) as typeof passport;
    expect(presentPassport(reversed)).toEqual(presentPassport(passport));
  });

  test("any text and any score parses to the same value", () => {
    const scores = fc.double({ min: 0, max: 1e15, noNaN: true });
    fc.assert(
      fc.property(anyText, fc.array(anyText), fc.option(anyText), scores, (name, tags, bio, score) => {
        const passport = structuredClone(EXAMPLES.single.passport);
        passport.score = score;
        passport.passport_profile = { bio, display_name: name, location: null, tags };
        const { body, tail } = presentPassport(passport);
        const read = JSON.parse(singlePassportAnswer(body, tail));
        expect(isSinglePassport.Errors(read)).toEqual([]);
        expect(read.passport.passport_profile).toEqual(passport.passport_profile);
        expect(read.passport.score === score).toBe(true);
      }),
      { numRuns: scaled(1_000, 100) },
    );
  });
});

describe("presentCredentials", () => {
  const credential = (id: string, category: string, score: number) => ({
    ...(EXAMPLES.credentials.passport_credentials[0] as Credential),
    id,
    category,
    score,
  });

  test("orders by category, score descending, id", () => {
    const sent = presentCredentials([
      credential("b", "Skills", 1),
      credential("z", "Activity", 0),
      credential("a", "Skills", 1),
      credential("c", "Skills", 20),
      credential("y", "Activity", 3.5),
    ]).body;
    expect(JSON.parse(sent).passport_credentials.map((item: { id: string }) => item.id)).toEqual([
      "y",
      "z",
      "c",
      "a",
      "b",
    ]);
    expect(isCredentials.Errors(JSON.parse(sent))).toEqual([]);
  });

  test("prints an empty array for no credentials", () => {
    expect(presentCredentials([]).body).toBe('{"passport_credentials":[]}');
  });
});
