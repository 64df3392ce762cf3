import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import { describe, expect, test } from "vitest";
import { attribute, type Element, elementsOf, textOf } from "../../testing/parse-page.ts";
import { credentialOf, DISTRIBUTION, passportOf, SITE, socialOf } from "../../testing/people.ts";
import { type PassportView, passportPage } from "./passport-page.ts";

const NOW = new Date("2026-11-16");

const PLAIN = { place: null, target: null, now: NOW };

function render(
  fields: Partial<PassportDetail>,
  credentials: readonly Credential[] | null = [],
  view: Partial<PassportView> = {},
) {
  const markup = passportPage(SITE, { ...PLAIN, passport: passportOf(fields), credentials, ...view }).toString();
  const elements = elementsOf(markup);
  const text = textOf(elements[0] as Element).replaceAll(/\s+/g, " ");
  const rects = (kind: string) =>
    elements
      .filter((element) => element.tagName === "rect" && attribute(element, "class") === kind)
      .map((element) => `${attribute(element, "x") ?? "0%"} ${attribute(element, "width")}`);
  return { markup, elements, text, rects };
}

describe("the score", () => {
  test("its parts are drawn at the places that they take in it", () => {
    const { text, rects } = render({});
    expect(text).toContain("82.5points");
    expect(text).toContain("Activity 30.0Identity 12.5Skills 40.0");
    expect([...rects("p1"), ...rects("p2"), ...rects("p3")]).toEqual(
      // The key repeats each tint after the bar, and the table of credentials has none.
      ["0% 36.4%", "0% 100%", "36.4% 15.1%", "0% 100%", "51.5% 48.5%", "0% 100%"],
    );
    expect(text).not.toContain("do not add up");
  });

  test("parts that are less than the score are said and hatched", () => {
    const { text, rects } = render({ score: 100 });
    expect(text).toContain("make 82.5 points; the score is 100.0. V1 does not say where the other 17.5 come from.");
    expect(text).toContain("Not explained 17.5");
    expect(rects("x")).toEqual(["82.5% 17.5%", "0% 100%"]);
  });

  test("parts that are more than the score are said", () => {
    const { text, rects } = render({ score: 50 });
    expect(text).toContain("make 82.5 points, 32.5 more than the score of 50.0. V1 does not say why.");
    expect(rects("x")).toEqual([]);
  });

  test("a missing score and a score of zero are said in words", () => {
    const { text } = render({ score: null });
    expect(text).toContain("No score Listed at the end, without a rank");
    expect(text).toContain("Together 82.5");
    expect(text).toContain("Last calculated 28 May 2024, without a result");
    const none = { activity_score: 0, identity_score: 0, skills_score: 0 };
    const zero = render({ ...none, score: 0 }).text;
    expect(zero).toContain("found no points: none for activity, identity or skills.");
    expect(render({ score: 0 }).text).toContain("The parts do not add up.");
  });

  test("its age is said; amber means that it is old", () => {
    const pill = (fields: Partial<PassportDetail>) => {
      const { elements } = render(fields);
      const old = elements.find((element) => attribute(element, "class") === "pill old");
      return old && textOf(old);
    };
    expect(pill({})).toBe("Score of 28 May 2024, 2 years and 5 months old");
    expect(pill({ last_calculated_at: "2026-11-01T00:00:00.000Z" })).toBeUndefined();
    expect(render({ last_calculated_at: "2026-11-01T00:00:00.000Z" }).text).toContain("1 November 2026, 15 days old");
    expect(pill({ last_calculated_at: null })).toBe("V1 does not say when it was calculated");
    expect(pill({ calculating_score: true })).toBe("A new score was being calculated; this is the one of 28 May 2024");
    expect(pill({ merged: true, score: null })).toBe("Merged, out of use");
  });

  test("rank, share and place in the list are said and drawn", () => {
    const place = { rank: 18, total: 120, builtAt: NOW, distribution: DISTRIBUTION };
    const { text, rects, markup } = render({}, [], { place });
    expect(text).toContain("18th of 120Higher than 82 % of people");
    expect(text).toContain("82.5: here");
    expect(text).toContain("Half have 50 points or fewer; the top tenth more than 90.");
    expect(markup).toContain('href="/prefix/leaderboard?rank=18"');
    // Of 21 bars, one is filled.
    expect(rects("t")).toHaveLength(20);
    const best = render({ score: 250 }, [], { place: { ...place, rank: 1 } }).text;
    expect(best).toContain("1st of 120The highest score");
    // Equal scores are not lower.
    expect(render({ score: 1 }, [], { place: { ...place, rank: 120 } }).text).not.toContain("Higher than");
    const few = render({}, [], { place: { ...place, rank: 2, distribution: null } });
    expect(few.text).toContain("2nd of 120");
    expect(few.markup).not.toContain('class="dist"');
    expect(render({}).text).not.toContain("of 120");
  });

  test("sums with rounding errors fit", () => {
    const parts = { activity_score: 0.1, identity_score: 0.2, skills_score: 0 };
    expect(render({ ...parts, score: 0.3 }).text).not.toContain("do not add up");
  });
});

describe("credentials", () => {
  test("each has its share of its maximum, and categories have sums", () => {
    const { text, elements } = render({}, [
      credentialOf(),
      credentialOf({ category: "Zoology", name: "New", score: 0, max_score: 10, value: null, earned_at: null }),
      credentialOf({ category: "Skills", name: "Builder", score: 30, max_score: 30 }),
    ]);
    expect(text).toContain("2 of 3 credentials earned points");
    const meters = elements.filter((element) => attribute(element, "class") === "meter");
    expect(meters.map((meter) => attribute(meter.childNodes[0] as Element, "width"))).toEqual(["75%", "100%", "0%"]);
    expect(text).toContain("Active wallet212 transactions, 15 Jan 202415.0 of 20");
    expect(text).toContain("Newnot earned0.0 of 10");
    expect(text.indexOf("Skills30.0")).toBeLessThan(text.indexOf("Zoology0.0"));
  });

  test("no maximum, points above it, and a date of its own", () => {
    const { text } = render({}, [
      credentialOf({ score: 4, max_score: 0, earned_at: "spring 2022" }),
      credentialOf({ name: "Above", score: 18.5, max_score: 15, last_calculated_at: "2024-06-01T00:00:00.000Z" }),
    ]);
    expect(text).toContain("212 transactions, spring 2022no maximum given4.0");
    expect(text).toContain("15 Jan 2024, above its maximum, as V1 sends it, calculated 1 Jun 202418.5 of 15");
  });

  test("points that no phone has room for are short", () => {
    const { text } = render({}, [credentialOf({ score: 1e15, max_score: 1e6 })]);
    expect(text).toContain("1000T of 1M");
  });

  test("repeated names are told apart by their ids", () => {
    const { text } = render({}, [
      credentialOf({ id: "a" }),
      credentialOf({ id: "b" }),
      credentialOf({ name: "Other" }),
    ]);
    expect(text).toContain("Active wallet212 transactions, 15 Jan 2024, a");
    expect(text).toContain("Active wallet212 transactions, 15 Jan 2024, b");
    expect(text).toMatch(/Other212 transactions, 15 Jan 2024 ?15/);
  });

  test("of more than 25, those without points are folded", () => {
    const listOf = (count: number) =>
      Array.from({ length: count }, (_, index) => credentialOf({ name: `N${index}`, score: index === 0 ? 0 : 1 }));
    expect(render({}, listOf(26)).text).toMatch(/25 of 26 credentials.*1 credential without points.*N0/);
    expect(render({}, listOf(25)).text).not.toContain("without points");
    const nothing = listOf(26).map((credential) => ({ ...credential, score: 0 }));
    expect(render({}, nothing).text).not.toContain("without points");
  });

  test("none, and unreadable ones", () => {
    expect(render({}).text).toContain("V1 lists no credentials for this person.");
    expect(render({}, null).text).toContain("The credentials could not be read just now.");
  });
});

describe("the person", () => {
  test.each([null, "", "  ", "\u200B\u3164\u2800"])(
    "a name that nobody can see is replaced by the number: %j",
    (name) => {
      const { text } = render({ passport_profile: { bio: null, display_name: name, location: null, tags: [] } });
      expect(text).toMatch(/Leaderboard \/ Passport 93 Passport 93.*No name given/);
    },
  );

  test("a long name is cut, and shown whole in the details", () => {
    const named = (display_name: string) =>
      render({ passport_profile: { bio: null, display_name, location: null, tags: [] } }).text;
    expect(named("n".repeat(61))).toContain("The whole name: 61 characters");
    expect(named("😀".repeat(60))).not.toContain("The whole name");
  });

  test("a merged record leads to its target", () => {
    const target = passportOf({ passport_id: 18, score: 3.5, main_wallet: `0x${"b2".repeat(20)}` });
    const { text, markup } = render({ merged: true }, [], { target });
    expect(text).toContain(`Merged into Ada Okafor Passport 18, 3.5 points, 0x${"b2".repeat(20)}`);
    expect(markup).toContain('<a class="button" href="/prefix/passports/18">Open passport 18</a>');
    expect(text).toContain("The record as it was 82.5 points, 28 May 2024not ranked any more");
    // A target that is not shown is like one that is not known.
    const unknown = render({ merged: true });
    expect(unknown.text).toContain("Merged into another record. The data does not say which.");
    expect(unknown.markup).not.toMatch(/href="\/prefix\/passports\/(?:18|0x)/);
  });

  test("more than five wallets are folded, and a main wallet that is not verified is noted", () => {
    const wallets = Array.from({ length: 8 }, (_, index) => `wallet-number-${index}`);
    const { text } = render({ main_wallet: "the-main-wallet", verified_wallets: wallets });
    expect(text).toContain("4 more wallets");
    expect(text).toContain("The main wallet is not among the verified ones.");
    expect(render({ main_wallet: null, verified_wallets: [] }).text).toContain("Without a wallet, nobody can prove");
  });

  test("only secure addresses are linked, and no picture is loaded", () => {
    const { elements, text, markup } = render({
      passport_socials: [
        socialOf(),
        socialOf({ profile_url: "javascript:alert(1)", profile_name: "js", follower_count: "many" }),
        socialOf({ profile_url: "http://plain.example/", profile_name: "plain", follower_count: null }),
      ],
    });
    const links = elements.filter((element) => attribute(element, "rel")?.includes("ugc"));
    expect(links.map((element) => attribute(element, "href"))).toEqual(["https://lens.example/ada"]);
    expect(attribute(links[0] as Element, "rel")).toBe("nofollow noopener noreferrer ugc");
    expect(text).toContain("lens, 1,024 followers");
    expect(text).toContain("many followers");
    expect(text.match(/so it is not linked/g)).toHaveLength(2);
    expect(markup).not.toContain("images.example");
  });

  test("the page is also shown as badge and as API calls", () => {
    const { text } = render({});
    expect(text).toContain("curl -s 'https://v1.example/prefix/api/v1/passports/93'");
    expect(text).toContain("curl -s 'https://v1.example/prefix/api/v1/passport_credentials?passport_id=93'");
    expect(text).toContain(
      "[![Passport score](https://v1.example/prefix/badge/93.svg)](https://v1.example/prefix/passports/93)",
    );
    expect(text).toContain('createClient({ baseUrl: "https://v1.example/prefix" })');
  });
});
