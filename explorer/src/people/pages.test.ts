import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attribute, type Element, elementsOf, textOf } from "../../testing/parse-page.ts";
import { anyCredential, anyPassport, anyText, DISTRIBUTION, passportOf, SITE } from "../../testing/people.ts";
import { frameAt } from "../frame.ts";
import type { Safe } from "../html.ts";
import { homePage } from "./home-page.ts";
import { leaderboardPage } from "./leaderboard-page.ts";
import { plainName, visibleName } from "./names.ts";
import { passportPage } from "./passport-page.ts";
import { searchPage } from "./search-page.ts";

const NOW = new Date("2026-11-16");
const PAGINATION = { current_page: 1, last_page: 3, total: 70 };
const URL_ATTRIBUTES = ["href", "src", "action"];

/** A parser replaces NUL and lone surrogates, which no UTF-8 document contains. */
const asParsed = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed();

function inspect(page: Safe) {
  const markup = page.toString();
  const elements = elementsOf(markup);
  const texts = new Set(elements.map((element) => textOf(element)));
  return { elements, texts, all: textOf(elements[0] as Element) };
}

/** No markup comes from data: only our script, no handlers or styles, and links to safe addresses. */
function expectSafe(elements: readonly Element[]): void {
  const named = (name: string) => elements.filter(({ tagName }) => tagName === name);
  expect(named("script").map((element) => attribute(element, "src"))).toEqual(["/prefix/assets/explorer.0.js"]);
  expect(named("style").concat(named("iframe"), named("object"))).toEqual([]);
  for (const { src } of named("img").map((image) => ({ src: attribute(image, "src") })))
    expect(src).toMatch(/^\/prefix\/badge\/\d+(?:-dark)?\.svg$/);
  for (const element of elements) {
    for (const { name, value } of element.attrs) {
      expect(name).not.toMatch(/^(?:style|on.*)$/);
      if (URL_ATTRIBUTES.includes(name)) expect(value).toMatch(/^(?:\/prefix\/|#|https:\/\/)/);
    }
  }
}

const PLAIN = { place: null, target: null, now: NOW };
const INFO = { total: 4, builtAt: NOW, newestScoreAt: null, oldestScoreAt: NOW, distribution: DISTRIBUTION };

describe("whatever texts a person has", () => {
  test("the passport page parses back to the same texts, and no text becomes markup", () => {
    fc.assert(
      fc.property(anyPassport, fc.array(anyCredential, { maxLength: 4 }), (passport, credentials) => {
        const { elements, texts } = inspect(passportPage(SITE, { passport, credentials, ...PLAIN }));
        expectSafe(elements);
        const { bio, location, tags } = passport.passport_profile;
        const shown = [visibleName(passport), bio || null, location || null, ...tags, ...passport.verified_wallets];
        for (const { name, value, category } of credentials) shown.push(name, value || null, category);
        for (const { source, profile_name } of passport.passport_socials) shown.push(source, profile_name || null);
        for (const text of shown) if (text !== null) expect(texts).toContain(asParsed(text));
      }),
      { numRuns: 100 },
    );
  });

  test("so do the leaderboard, the search and the home page", () => {
    fc.assert(
      fc.property(fc.array(anyPassport, { maxLength: 4 }), anyText, (passports, text) => {
        const list = { passports, pagination: PAGINATION };
        const pages = [
          leaderboardPage(SITE, { list, ranks: null, perPage: 25, keyword: text, isPastRanks: false, info: INFO }),
          searchPage(SITE, { query: text, list }),
          homePage(SITE, { list, ranks: null, info: INFO }),
        ];
        for (const page of pages) {
          const { elements, texts } = inspect(page);
          expectSafe(elements);
          for (const passport of passports) {
            const name = visibleName(passport);
            if (name !== null) expect(texts).toContain(asParsed(name));
          }
          const fields = elements
            .filter(({ tagName }) => tagName === "input")
            .map((field) => attribute(field, "value"));
          if (page !== pages[2]) expect(fields).toContain(asParsed(text));
        }
      }),
      { numRuns: 50 },
    );
  });

  test("a title has no characters that change the direction of text", () => {
    fc.assert(
      fc.property(anyText, (display_name) => {
        const passport = passportOf({ passport_profile: { ...passportOf().passport_profile, display_name } });
        expect(plainName(passport)).not.toMatch(/[\u202A-\u202E\u2066-\u2069\n]/);
        expect([...plainName(passport)].length).toBeLessThanOrEqual(60);
      }),
    );
  });
});

describe("link previews", () => {
  test("have a title, a description, an address and a picture, without script", () => {
    const { elements } = inspect(passportPage(SITE, { passport: passportOf(), credentials: [], ...PLAIN }));
    const meta = (name: string) =>
      elements
        .filter(({ tagName }) => tagName === "meta")
        .find((element) => attribute(element, "property") === name || attribute(element, "name") === name);
    const content = (name: string) => attribute(meta(name) as Element, "content");
    expect(content("og:title")).toBe("Ada Okafor, passport 93");
    expect(content("og:description")).toBe("Ada Okafor: 82.5 points, as of 28 May 2024.");
    expect(content("description")).toBe(content("og:description"));
    expect(content("og:url")).toBe("https://v1.example/prefix/passports/93");
    expect(content("og:image")).toBe("https://v1.example/prefix/assets/preview.0.png");
    expect(content("robots")).toBe("noindex");
    const indexed = inspect(
      passportPage({ ...SITE, isIndexed: true }, { passport: passportOf(), credentials: [], ...PLAIN }),
    );
    expect(indexed.elements.some((element) => attribute(element, "name") === "robots")).toBe(false);
  });
});

test("a list without people has no form for ranks", () => {
  const list = { passports: [], pagination: { current_page: 9, last_page: 2, total: 40 } };
  const view = { list, ranks: null, perPage: 25, keyword: "", isPastRanks: false, info: INFO };
  const { elements } = inspect(leaderboardPage(SITE, view));
  expect(elements.some((element) => attribute(element, "id") === "rank")).toBe(false);
});

describe("the leaderboard", () => {
  const list = { passports: [passportOf()], pagination: { current_page: 2, last_page: 2, total: 120 } };
  const view = { list, ranks: null, perPage: 25, keyword: "", isPastRanks: false, info: INFO };
  const widthOf = (page: Safe) =>
    inspect(page)
      .elements.filter((element) => attribute(element, "class") === "p1" && attribute(element, "width") !== "100%")
      .map((element) => attribute(element, "width"));

  test("has one scale, whoever is on the page", () => {
    expect(widthOf(leaderboardPage(SITE, view))).toEqual(["30%"]);
    const best = passportOf({ passport_id: 7, score: 5_000 });
    const passports = [...list.passports, best];
    const page = leaderboardPage(SITE, { ...view, list: { ...list, passports } });
    expect(widthOf(page)).toEqual(["30%", "30%"]);
    expect(page.toString().match(/class="cut"/g)).toHaveLength(1);
  });

  test("names the parts, and with a filter the whole wallet", () => {
    expect(inspect(leaderboardPage(SITE, view)).all).toContain("Activity 30.0");
    const filtered = inspect(leaderboardPage(SITE, { ...view, keyword: "ada" })).all;
    expect(filtered).toContain(`Ada Okafor0x${"a1".repeat(20)}`);
  });

  test("says that a rank is past the last one", () => {
    const { all } = inspect(leaderboardPage(SITE, { ...view, isPastRanks: true }));
    expect(all).toContain("There are 100 ranks. This is the last page.");
  });
});

test.each(["12", `0x${"ab".repeat(20)}`, "n".repeat(101)])(
  "home shows no example for a name that a search does not find: %s",
  (name) => {
    const first = passportOf({ passport_profile: { bio: null, display_name: name, location: null, tags: [] } });
    const list = { passports: [first], pagination: { current_page: 1, last_page: 1, total: 1 } };
    expect(homePage(SITE, { list, ranks: null, info: INFO }).toString()).not.toContain("/search?q=");
  },
);

test("home says in its first sentence how old the scores are", () => {
  const list = { passports: [passportOf()], pagination: { current_page: 1, last_page: 1, total: 1 } };
  const textWith = (newest: string) => {
    const info = { ...INFO, oldestScoreAt: new Date("2024-02-03"), newestScoreAt: new Date(newest) };
    return inspect(homePage(SITE, { list, ranks: null, info })).all;
  };
  expect(textWith("2025-03-04")).toMatch(
    /The scores are of February 2024 to March 2025, and come from .*1 person\s*No newer scores/s,
  );
  expect(textWith("2026-11-01")).not.toContain("No newer scores");
});

test("a brownout is stated on every page", () => {
  const until = new Date("2027-06-25T15:00:00Z");
  const site = { ...SITE, ...frameAt(SITE.settings, SITE.links, { state: "brownout", from: null, until }) };
  const list = { passports: [passportOf()], pagination: { current_page: 1, last_page: 1, total: 1 } };
  const passport = inspect(passportPage(site, { passport: passportOf(), credentials: [], ...PLAIN })).all;
  const home = inspect(homePage(site, { list, ranks: null, info: INFO })).all;
  for (const text of [passport, home]) expect(text).toContain("The API is off until 25 Jun 2027, 15:00 UTC");
  expect(home).not.toContain("still responds");
});
