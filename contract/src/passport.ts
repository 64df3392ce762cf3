import Type from "typebox";
import { closed, count, momentOrNull, score, scoreOrNull, text, textOrNull } from "./fields.ts";

export const PassportProfile = closed({
  bio: textOrNull(),
  display_name: textOrNull({ description: "The name that `keyword` searches.", examples: ["Ada Okafor"] }),
  location: textOrNull(),
  tags: Type.Array(text()),
});
export type PassportProfile = Type.Static<typeof PassportProfile>;

const followers = "A string, not a number: normally decimal digits, so parse it with care.";

export const PassportSocial = closed({
  follower_count: textOrNull({ description: followers, examples: ["1024"] }),
  following_count: textOrNull({ description: followers, examples: ["128"] }),
  location: textOrNull(),
  profile_bio: textOrNull(),
  profile_display_name: textOrNull(),
  profile_image_url: textOrNull(),
  profile_name: textOrNull(),
  profile_url: textOrNull(),
  source: text({
    description: "The social network the profile comes from. An open list: new values may appear.",
    examples: ["lens", "basename", "farcaster", "github", "linkedin", "talent_protocol", "builderfi", "twitter"],
  }),
});
export type PassportSocial = Type.Static<typeof PassportSocial>;

const passportFields = {
  activity_score: score(),
  identity_score: score(),
  skills_score: score(),
  score: scoreOrNull({ description: "The overall score. The list is sorted by it." }),
  calculating_score: Type.Boolean({
    description: "True while a score is being calculated; the old one is still sent.",
  }),
  connections_count: count(),
  human_checkmark: Type.Boolean(),
  last_calculated_at: momentOrNull(),
  main_wallet: textOrNull({ description: "EVM addresses are lower-case.", examples: [`0x${"a1".repeat(20)}`] }),
  passport_id: count({ minimum: 1 }),
  passport_profile: PassportProfile,
  verified_wallets: Type.Array(text()),
};

/** A passport as an item of the list. */
export const Passport = closed(passportFields);
export type Passport = Type.Static<typeof Passport>;

/** A passport as the single-passport endpoint sends it: the list's fields, then two more. */
export const PassportDetail = closed({
  ...passportFields,
  merged: Type.Boolean({ description: "True when the record was merged into another person's." }),
  passport_socials: Type.Array(PassportSocial),
});
export type PassportDetail = Type.Static<typeof PassportDetail>;
