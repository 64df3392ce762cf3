import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import { describe, expect, test } from "vitest";
import { attribute, type Element, elementsOf, textOf } from "../../testing/parse-page.ts";
import { credentialOf, DISTRIBUTION, passportOf, SITE, socialOf } from "../../testing/people.ts";
import { type PassportView, passportPage } from "./passport-page.ts";

const NOW = new Date("2026-11-16");

const PLAIN = { hidesUnearned: false, place: null, now: NOW };

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
    expect(text).toContain("82.5points Calculated on 28 May 2024, 2 years and 5 months ago.");
    expect(text).toContain("The three parts add up to the score.");
    expect(rects("f")).toEqual(["0% 82.5%", "0% 30%", "30% 12.5%", "42.5% 40%"]);
  });

  test("parts that are less than the score are said and hatched", () => {
    const { text, rects } = render({ score: 90 });
    expect(text).toContain("make 82.5 points; the score is 90.0. V1 does not say where the other 7.5 come from.");
    expect(text).toContain("Not explained7.5");
    expect(rects("x")).toEqual(["82.5% 7.5%", "82.5% 7.5%"]);
  });

  test("parts that are more than the score are said and hatched", () => {
    const { text, rects } = render({ score: 50 });
    expect(text).toContain("make 82.5 points, 32.5 more than the score of 50.0. V1 does not say why.");
    expect(text).toContain("Beyond the score32.5");
    expect(rects("x")).toEqual(["50% 32.5%"]);
  });

  test("a missing score and a missing date are said in words", () => {
    const { text } = render({ score: null, last_calculated_at: null });
    expect(text).toContain("No score Listed at the end, without a rank.");
    expect(render({ score: null, merged: true }).text).not.toContain("Listed at the end");
    expect(text).toContain("V1 does not say when it was calculated.");
    expect(text).toContain("together they are 82.5 points");
  });

  test("rank, share and place in the list are said and drawn", () => {
    const place = { rank: 18, total: 120, builtAt: NOW, distribution: DISTRIBUTION };
    const { text, rects, markup } = render({}, [], { place });
    expect(text).toContain("18th of 120 people listed. Higher than 82 %.");
    expect(text).toContain("everyone in the list, which was built on 16 Nov 2026, 00:00 UTC.");
    expect(text).toContain("80 to 85 points, which 4 others have.");
    expect(markup).toContain('href="/prefix/leaderboard?rank=18"');
    // Of 21 bars, one is filled.
    expect(rects("t")).toHaveLength(20);
    const best = render({ score: 250 }, [], { place: { ...place, rank: 1 } }).text;
    expect(best).toContain("1st of 120 people listed. The highest score.");
    expect(best).toContain("100 points or more, which nobody else has.");
    // Equal scores are not lower.
    expect(render({ score: 1 }, [], { place: { ...place, rank: 120 } }).text).toContain("people listed. Calculated on");
    const few = render({}, [], { place: { ...place, rank: 2, distribution: null } });
    expect(few.text).toContain("2nd of 120 people listed. Calculated on");
    expect(few.markup).not.toContain('class="dist"');
    expect(render({}).text).not.toContain("people listed");
  });

  test("sums with rounding errors fit", () => {
    expect(render({ activity_score: 0.1, identity_score: 0.2, skills_score: 0, score: 0.3 }).text).toContain(
      "add up to",
    );
  });
});

describe("credentials", () => {
  test("each is a bar in a track on one scale, and its details are in words", () => {
    const { text, rects } = render({}, [
      credentialOf(),
      credentialOf({ category: "Skills", name: "Builder", score: 30, max_score: 30 }),
      credentialOf({ category: "Zoology", name: "New", score: 0, max_score: 10, value: null, earned_at: null }),
    ]);
    expect(text).toContain("3 credentials45.0 of 60 points");
    expect(text).toContain("0 to 30 points");
    expect(rects("t")).toEqual(["0% 66.67%", "0% 100%", "0% 33.33%"]);
    expect(text).toContain("Active wallet212 transactions, 15 Jan 2024");
    expect(text).toContain("5 points were not earned. Id active_wallet.");
    expect(text).toContain("All points were earned.");
    expect(text).toContain("Newnot earned");
    expect(text.indexOf("Skills30.0")).toBeLessThan(text.indexOf("Zoology0.0"));
  });

  test("no maximum, and points above the maximum", () => {
    const { text, rects } = render({ activity_score: 0, identity_score: 0, skills_score: 0, score: 0 }, [
      credentialOf({ score: 4, max_score: 0, earned_at: "spring 2022" }),
      credentialOf({ score: 18.5, max_score: 15 }),
    ]);
    expect(text).toContain("2 credentials22.5 points");
    expect(text).toContain("No maximum is given, so there is no outline.");
    expect(text).toContain("3.5 points above its maximum, as V1 sends it.");
    expect(text).toContain("212 transactions, spring 2022, active_wallet");
    expect(rects("t")).toEqual(["0% 75%"]);
    expect(rects("gap")).toEqual(["75% 2"]);
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

  test("those without points are hidden by a link, and sums stay those of all", () => {
    const credentials = [credentialOf(), credentialOf({ name: "Nothing", score: 0 })];
    const { text, markup } = render({}, credentials);
    expect(text).toContain("Hide the 1 without points");
    expect(markup).toContain('href="?points=earned#credentials"');
    const hidden = render({}, credentials, { hidesUnearned: true });
    expect(hidden.text).toContain("2 credentials15.0 of 40 points");
    expect(hidden.text).toContain("1 without points is hidden. Show all");
    expect(hidden.text).not.toContain("Nothing");
    // With nothing earned, all are shown.
    expect(render({}, credentials.slice(1), { hidesUnearned: true }).text).toContain("Nothing");
  });

  test("a value that is long, a type and a date that differ are in the details", () => {
    const value = "x".repeat(100);
    const { text } = render({}, [credentialOf({ value, type: "t", last_calculated_at: "2024-06-01T00:00:00.000Z" })]);
    expect(text).toContain(`Measured: ${value}. Id active_wallet, type t. Calculated 1 Jun 2024, 00:00 UTC.`);
  });

  test("none, and unreadable ones", () => {
    expect(render({}).text).toContain("V1 has no credentials for this passport.");
    expect(render({}, null).text).toContain("The credentials could not be read just now.");
  });
});

describe("the person", () => {
  test.each([null, "", "  ", "\u200B\u3164\u2800"])(
    "a name that nobody can see is replaced by the number: %j",
    (name) => {
      const { text } = render({ passport_profile: { bio: null, display_name: name, location: null, tags: [] } });
      expect(text).toContain("Passport 93 No name was given.");
    },
  );

  test("a long name is cut, and shown whole in the details", () => {
    const named = (display_name: string) =>
      render({ passport_profile: { bio: null, display_name, location: null, tags: [] } }).text;
    expect(named("n".repeat(61))).toContain("The whole name: 61 characters");
    expect(named("😀".repeat(60))).not.toContain("The whole name");
  });

  test("merged and being recalculated are said in words", () => {
    const { text } = render({ merged: true, calculating_score: true });
    expect(text).toMatch(/This record was merged into another one\..*The score is being recalculated\./);
    expect(text).toContain("look up 0xa1a1…a1a1");
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
    expect(text).toContain("1,024 followers, follows 128");
    expect(text).toContain("many followers");
    expect(text.match(/so it is not linked/g)).toHaveLength(2);
    expect(markup).not.toContain("images.example");
  });

  test("the page is also shown as API calls", () => {
    const { text } = render({});
    expect(text).toContain("curl -s 'https://v1.example/prefix/api/v1/passports/93'");
    expect(text).toContain("curl -s 'https://v1.example/prefix/api/v1/passport_credentials?passport_id=93'");
    expect(text).toContain('createClient({ baseUrl: "https://v1.example/prefix" })');
  });
});
