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
import { comparePage, comparePath } from "./compare-page.ts";

const place = { rank: 3, total: 9, builtAt: new Date("2026-11-16"), distribution: DISTRIBUTION };
const personOf = (fields: Partial<PassportDetail>, credentials: Credential[] | null = []) => ({
  passport: passportOf(fields),
  credentials,
  place: null,
});

function render(people: ReturnType<typeof personOf>[], unknown: string[] = []) {
  const markup = comparePage(SITE, { people, unknown }).toString();
  const elements = elementsOf(markup);
  return { markup, elements, text: textOf(elements[0] as Element).replaceAll(/\s+/g, " ") };
}

test("people, their ranks and how far apart their scores were calculated", () => {
  const { text } = render([
    { ...personOf({ passport_id: 1 }), place } as never,
    personOf({ passport_id: 2, last_calculated_at: "2023-12-01T00:00:00.000Z", score: null }),
  ]);
  expect(text).toContain("Two people on the same scales. Their scores were calculated up to 5 months apart");
  expect(text).toContain("passport 1, 3rd of 9, as of 28 May 2024");
  expect(text).toContain("passport 2, no rank");
  // A rank that cannot be read now is left out.
  expect(render([personOf({}), personOf({ passport_id: 2 })]).text).not.toContain("no rank");
  expect(text).toContain("no score");
  expect(text).toContain("V1 has no credentials for them.");
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
  expect(text).toMatch(/Active wallet7\.0 of 40.*20\.0 of 20.*Only one1\.0 of 20not there/);
  expect(text).toContain("1 credential with equal pointsEqual 0.3");
});

test("more than twelve differences are folded, and unreadable credentials are said", () => {
  const many = Array.from({ length: 15 }, (_, index) => credentialOf({ name: `Name ${index}`, score: index + 1 }));
  const { text } = render([personOf({ passport_id: 1 }, many), personOf({ passport_id: 2 })]);
  expect(text).toContain("3 smaller differencesName 2 (3.0, not there); Name 1 (2.0, not there)");
  expect(render([personOf({}, null), personOf({})]).text).toContain("could not be read just now");
});

test("nobody, one, four, and people who are not shown", () => {
  expect(render([]).text).toContain("Add somebody to compare with.");
  expect(render([personOf({})], ["7"]).text).toContain("Nothing is shown for 7.");
  const four = render([1, 2, 3, 4].map((passport_id) => personOf({ passport_id })));
  expect(four.text).toContain("Four people are the most that fit.");
  const removing = four.elements
    .map((element) => attribute(element, "href"))
    .filter((href) => href?.startsWith("/prefix/compare?"));
  expect(removing[0]).toBe("/prefix/compare?ids=2+3+4");
  expect(four.markup).toContain('<meta name="robots" content="noindex">');
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
        const elements = elementsOf(comparePage(SITE, { people, unknown: [text] }).toString());
        expect(elements.filter(({ tagName }) => tagName === "script")).toHaveLength(1);
        for (const { attrs } of elements) for (const { name } of attrs) expect(name).not.toMatch(/^(?:style|on.*)$/);
      },
    ),
    { numRuns: 50 },
  );
  expect(comparePath(["1", "a b&c"])).toBe("/compare?ids=1+a%20b%26c");
});
