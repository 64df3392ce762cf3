import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail, PassportSocial } from "@credence/contract/passport.ts";
import fc from "fast-check";
import type { Frame } from "../src/frame.ts";
import type { Distribution } from "../src/people/distribution.ts";
import type { Site } from "../src/people/page-head.ts";
import { linksFor } from "./links.ts";
import { SETTINGS } from "./settings.ts";

export const FRAME: Frame = { settings: SETTINGS, links: linksFor("/prefix"), outage: null, hasEnded: false };
export const SITE: Site = { ...FRAME, isIndexed: false };

export const passportOf = (fields: Partial<PassportDetail> = {}): PassportDetail => ({
  activity_score: 30,
  identity_score: 12.5,
  skills_score: 40,
  score: 82.5,
  calculating_score: false,
  connections_count: 17,
  human_checkmark: true,
  last_calculated_at: "2024-05-28T01:06:08.047Z",
  main_wallet: `0x${"a1".repeat(20)}`,
  passport_id: 93,
  passport_profile: { bio: "Builds bridges.", display_name: "Ada Okafor", location: "Lagos", tags: ["developer"] },
  verified_wallets: [`0x${"a1".repeat(20)}`],
  merged: false,
  passport_socials: [],
  ...fields,
});

/** 100 people have the scores 1 to 100. */
export const DISTRIBUTION: Distribution = {
  step: 5,
  bins: [4, ...Array.from({ length: 19 }, () => 5), 1],
  cuts: Array.from({ length: 99 }, (_, index) => index + 1),
};

export const credentialOf = (fields: Partial<Credential> = {}): Credential => ({
  id: "active_wallet",
  earned_at: "2024-01-15T00:00:00.000Z",
  category: "Activity",
  last_calculated_at: "2024-05-28T01:06:08.047Z",
  max_score: 20,
  score: 15,
  name: "Active wallet",
  type: "active_wallet",
  value: "212 transactions",
  ...fields,
});

export const socialOf = (fields: Partial<PassportSocial> = {}): PassportSocial => ({
  ...{ follower_count: "1024", following_count: "128", location: null, profile_bio: null },
  ...{ profile_display_name: "Ada", profile_image_url: "https://images.example/ada.png", profile_name: "ada" },
  ...{ profile_url: "https://lens.example/ada", source: "lens" },
  ...fields,
});

// Strings that break markup, addresses or the direction of text, among arbitrary ones.
const HOSTILE = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "javascript:alert(1)",
  "]]>--><!--",
  "&lt;b&gt;&#39;",
  "\u202Egnp.exe\u2069\u2066",
  "\u3164",
  "a\r\nb\0c",
  "</title></style></textarea>",
  "x".repeat(1_000),
];
export const anyText = fc.oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.constantFrom(...HOSTILE));
const textOrNull = fc.option(anyText);
const score = fc.oneof(fc.double({ min: 0, max: 1e15, noNaN: true }), fc.constantFrom(0, 1, 12.5, 1e-9, 1e15));
const dateOrNull = fc.constantFrom(null, "2024-05-28T01:06:08.047Z", "0001-01-01T00:00:00.000Z");

const anySocial: fc.Arbitrary<PassportSocial> = fc.record({
  ...{ follower_count: textOrNull, following_count: textOrNull, location: textOrNull, profile_bio: textOrNull },
  ...{ profile_display_name: textOrNull, profile_image_url: textOrNull, profile_name: textOrNull },
  profile_url: fc.oneof(textOrNull, fc.webUrl()),
  source: anyText,
});

export const anyPassport: fc.Arbitrary<PassportDetail> = fc.record({
  ...{ activity_score: score, identity_score: score, skills_score: score, score: fc.option(score) },
  ...{ calculating_score: fc.boolean(), connections_count: fc.nat(), human_checkmark: fc.boolean() },
  ...{ last_calculated_at: dateOrNull, main_wallet: textOrNull, passport_id: fc.integer({ min: 1 }) },
  passport_profile: fc.record({
    ...{ bio: textOrNull, display_name: textOrNull, location: textOrNull },
    tags: fc.array(anyText, { maxLength: 3 }),
  }),
  verified_wallets: fc.array(anyText, { maxLength: 8 }),
  merged: fc.boolean(),
  passport_socials: fc.array(anySocial, { maxLength: 3 }),
});

export const anyCredential: fc.Arbitrary<Credential> = fc.record({
  ...{ id: anyText, earned_at: textOrNull, category: fc.oneof(anyText, fc.constantFrom("Activity", "Skills")) },
  ...{ last_calculated_at: dateOrNull, max_score: score, score, name: anyText, type: anyText, value: textOrNull },
});
