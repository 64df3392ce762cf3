import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { attribute, type Element, elementsOf, textOf } from "../../testing/parse-page.ts";
import {
  anyCredential,
  anyPassport,
  anyText,
  credentialOf,
  DISTRIBUTION,
  passportOf,
  SITE,
} from "../../testing/people.ts";
import { type CompareView, comparePage, comparePath } from "./compare-page.ts";
import type { Compared } from "./lanes.ts";

const place = { rank: 3, total: 9, builtAt: new Date("2026-11-16"), distribution: DISTRIBUTION };
const personOf = (fields: Partial<PassportDetail>, credentials: Credential[] | null = []) => ({
  passport: passportOf(fields),
  credentials,
  place: null,
});

function render(people: readonly Compared[], view: Partial<CompareView> = {}) {
  const markup = comparePage(SITE, { people, unknown: [], named: null, first: [], ...view }).toString();
  const elements = elementsOf(markup);
  return { markup, elements, text: textOf(elements[0] as Element).replaceAll(/\s+/g, " ") };
}

test("people, their scores and ranks, and how to remove them", () => {
  const { text, elements } = render([
    { ...personOf({ passport_id: 1 }), place },
    personOf({ passport_id: 2, last_calculated_at: "2023-12-01T00:00:00.000Z", score: null }),
  ]);
  expect(text).toContain("Ada Okafor82.5, 3rd, 28 May 2024");
  expect(text).toContain("Ada Okaforno score, 1 Dec 2023");
  expect(text).toContain("One score is 5 months older");
  const removing = elements.filter((element) => attribute(element, "aria-label") === "Remove Ada Okafor");
  expect(removing.map((element) => attribute(element, "href"))).toEqual([
    "/prefix/compare?ids=2",
    "/prefix/compare?ids=1",
  ]);
});

const named = (passport_id: number, display_name: string, scores: readonly [number | null, number, number, number]) => {
  const [score, activity_score, identity_score, skills_score] = scores;
  const passport_profile = { bio: null, display_name, location: null, tags: [] };
  return personOf({ passport_id, score, activity_score, identity_score, skills_score, passport_profile });
};
const ADA = named(1, "Ada", [6, 1, 2, 3]);

test.each([
  [[named(2, "Bo", [9, 2, 3, 4])], "Bo has 3 points more, and is ahead in all three parts."],
  [[named(2, "Bo", [7, 4, 1, 2])], "Bo has 1 point more, and is ahead in activity."],
  [[named(2, "Bo", [8, 1, 2, 3])], "Bo has 2 points more."],
  [[named(2, "Bo", [6, 3, 2, 1])], "Both have 6 points."],
  [[named(2, "Bo", [null, 3, 2, 1])], "Bo has no score."],
  [
    [named(2, "Bo", [9, 2, 3, 4]), named(3, "Cy", [5, 0, 2, 3])],
    "Bo is ahead in all three parts. Ada and Cy are 1 point apart.",
  ],
  [
    [named(2, "Bo", [9, 5, 2, 2]), named(3, "Cy", [5, 0, 2, 3])],
    "Bo has the most points, 3 more than Ada. Cy has the fewest.",
  ],
  [[named(2, "Bo", [9, 2, 3, 4]), named(3, "Cy", [6, 1, 2, 3])], "Bo is ahead in all three parts."],
  [
    [named(2, "Bo", [6, 1, 2, 3]), named(3, "Cy", [5, 0, 2, 3])],
    "Ada and Bo have the most points, 6 each. Cy has the fewest.",
  ],
  [[named(2, "Bo", [6, 1, 2, 3]), named(3, "Cy", [6, 0, 2, 4])], "All have 6 points."],
])("the result is a sentence: %#", (others, sentence) => {
  expect(render([ADA, ...others]).text).toContain(`${sentence} Add`);
});

test("no name can write a sentence backwards", () => {
  const { markup } = render([ADA, named(2, "\u2069\u202Eevil", [9, 2, 3, 4])], { unknown: ["\u2069\u202E7"] });
  expect(markup).toContain("<bdi>evil</bdi> has 3 points more");
  expect(markup).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
});

test("credentials meet by category and name, are added up, and the largest difference comes first", () => {
  const first = [
    credentialOf({ id: "a", score: 3 }),
    credentialOf({ id: "b", score: 4 }),
    credentialOf({ name: "Equal", score: 0.1 }),
    credentialOf({ name: "Equal", score: 0.2 }),
    credentialOf({ name: "Only one", score: 1, category: "Skills" }),
  ];
  const second = [credentialOf({ score: 20 }), credentialOf({ name: "Equal", score: 0.3 })];
  const { text } = render([personOf({ passport_id: 1 }, first), personOf({ passport_id: 2 }, second)]);
  expect(text).toMatch(/Active wallet7\.020\.0Ada Okafor 7\.0; Ada Okafor 20\.0 ?Only one.*1\.0; Ada Okafor none/);
  expect(text).toContain("1 credential with equal pointsEqual 0.3");
  expect(render([personOf({}), personOf({ passport_id: 2 })]).text).toContain("V1 has no credentials for them.");
});

test("lanes share an axis, on which points take their place", () => {
  const { elements } = render([ADA, named(2, "Bo", [10, 2, 3, 5])]);
  const lines = elements.filter(({ tagName }) => tagName === "line").map((line) => attribute(line, "x2"));
  expect(lines.slice(0, 4)).toEqual(["51.2%", "84%", "10.2%", "18.4%"]);
});

test("more than eight differences are folded, and unreadable credentials are said", () => {
  const many = Array.from({ length: 11 }, (_, index) => credentialOf({ name: `Name ${index}`, score: index + 1 }));
  const { text } = render([personOf({ passport_id: 1 }, many), personOf({ passport_id: 2 })]);
  expect(text).toContain("3 smaller differencesName 2 (3.0, none); Name 1 (2.0, none)");
  expect(render([personOf({}, null), personOf({})]).text).toContain("could not be read just now");
});

test("nobody, one, four, and people who are not shown", () => {
  const nobody = render([], { first: [3, 1, 2] });
  expect(nobody.text).toContain("Whom first?");
  expect(nobody.markup).toContain('href="/prefix/compare?ids=3+1+2"');
  const one = render([personOf({})], { unknown: ["7"] });
  expect(one.text).toContain("Nothing is shown for 7.");
  expect(one.text).not.toContain("Score and its parts");
  const four = render([1, 2, 3, 4].map((passport_id) => personOf({ passport_id })));
  expect(four.text).toContain("Four people are the most that fit.");
  expect(four.markup).toContain('<meta name="robots" content="noindex">');
});

test("several people of a name are listed with whole wallets; nobody of a name is said", () => {
  const list = {
    passports: [passportOf({ passport_id: 7 }), passportOf({ passport_id: 8 })],
    pagination: { current_page: 1, last_page: 2, total: 9 },
  };
  const { text, markup } = render([personOf({ passport_id: 1 })], { named: { name: "ada", list } });
  expect(text).toContain("9 people have “ada” in their name. Whom do you mean?");
  expect(text).toContain(`0x${"a1".repeat(20)}Passport 7, human check passed, score of 28 May 2024`);
  expect(markup).toContain('href="/prefix/compare?ids=1+8"');
  expect(markup).toContain('href="/prefix/search?q=ada">See all 9</a>');
  const none = { passports: [], pagination: { current_page: 1, last_page: 1, total: 0 } };
  expect(render([], { named: { name: "ada", list: none } }).text).toContain("Nobody has “ada” in their name");
});

test("no text creates an element or an address", () => {
  fc.assert(
    fc.property(
      fc.array(anyPassport, { minLength: 2, maxLength: 4 }),
      fc.array(anyCredential),
      anyText,
      (passports, credentials, text) => {
        const people = passports.map((passport, index) => ({
          passport,
          credentials: index === 0 ? credentials : [],
          place: null,
        }));
        const elements = elementsOf(comparePage(SITE, { people, unknown: [text], named: null, first: [] }).toString());
        expect(elements.filter(({ tagName }) => tagName === "script")).toHaveLength(1);
        for (const { attrs } of elements) for (const { name } of attrs) expect(name).not.toMatch(/^(?:style|on.*)$/);
      },
    ),
    { numRuns: 50 },
  );
  expect(comparePath(["1", "a b&c"])).toBe("/compare?ids=1+a%20b%26c");
});
