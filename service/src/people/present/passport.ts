import { etagOf, singlePassportAnswer } from "@credence/contract/answer-bytes.ts";
import type { Passport, PassportDetail, PassportProfile, PassportSocial } from "@credence/contract/passport.ts";
import { withoutExponent } from "./json.ts";
import { PRESENTER_VERSION } from "./version.ts";

/** `body` is the item of the list. In the single passport, `tail` replaces its closing brace. */
export type PassportDocument = { body: string; tail: string; etag: string; presenter: number };

export function presentPassport(passport: PassportDetail): PassportDocument {
  const body = JSON.stringify(presentItem(passport));
  const rest = JSON.stringify({
    merged: passport.merged,
    passport_socials: passport.passport_socials.map(presentSocial),
  });
  const tail = `,${rest.slice(1)}`;
  return { body, tail, etag: etagOf(singlePassportAnswer(body, tail)), presenter: PRESENTER_VERSION };
}

// These functions set the fields in the order of V1.

const presentItem = (passport: PassportDetail): Record<keyof Passport, unknown> => ({
  activity_score: withoutExponent(passport.activity_score),
  identity_score: withoutExponent(passport.identity_score),
  skills_score: withoutExponent(passport.skills_score),
  score: withoutExponent(passport.score),
  calculating_score: passport.calculating_score,
  connections_count: passport.connections_count,
  human_checkmark: passport.human_checkmark,
  last_calculated_at: passport.last_calculated_at,
  main_wallet: passport.main_wallet,
  passport_id: passport.passport_id,
  passport_profile: presentProfile(passport.passport_profile),
  verified_wallets: passport.verified_wallets,
});

const presentProfile = (profile: PassportProfile): PassportProfile => ({
  bio: profile.bio,
  display_name: profile.display_name,
  location: profile.location,
  tags: profile.tags,
});

const presentSocial = (social: PassportSocial): PassportSocial => ({
  follower_count: social.follower_count,
  following_count: social.following_count,
  location: social.location,
  profile_bio: social.profile_bio,
  profile_display_name: social.profile_display_name,
  profile_image_url: social.profile_image_url,
  profile_name: social.profile_name,
  profile_url: social.profile_url,
  source: social.source,
});
