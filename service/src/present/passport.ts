import { singlePassportAnswer } from "@credence/contract/assemble.ts";
import { etagOf } from "@credence/contract/etag.ts";
import type { PassportDetail, PassportSocial } from "@credence/contract/passport.ts";
import { printNumber, printText, printTexts } from "./json.ts";

/** `body` is the person as an item of the list; `tail` replaces its closing brace to make the single-passport record. */
export type PassportDocument = { body: string; tail: string; etag: string };

export function presentPassport(passport: PassportDetail): PassportDocument {
  const profile = passport.passport_profile;
  const body =
    `{"activity_score":${printNumber(passport.activity_score)}` +
    `,"identity_score":${printNumber(passport.identity_score)}` +
    `,"skills_score":${printNumber(passport.skills_score)}` +
    `,"score":${printNumber(passport.score)}` +
    `,"calculating_score":${passport.calculating_score}` +
    `,"connections_count":${printNumber(passport.connections_count)}` +
    `,"human_checkmark":${passport.human_checkmark}` +
    `,"last_calculated_at":${printText(passport.last_calculated_at)}` +
    `,"main_wallet":${printText(passport.main_wallet)}` +
    `,"passport_id":${printNumber(passport.passport_id)}` +
    `,"passport_profile":{"bio":${printText(profile.bio)}` +
    `,"display_name":${printText(profile.display_name)}` +
    `,"location":${printText(profile.location)}` +
    `,"tags":${printTexts(profile.tags)}}` +
    `,"verified_wallets":${printTexts(passport.verified_wallets)}}`;
  const tail = `,"merged":${passport.merged},"passport_socials":[${passport.passport_socials.map(presentSocial).join(",")}]}`;
  return { body, tail, etag: etagOf(singlePassportAnswer(body, tail)) };
}

function presentSocial(social: PassportSocial): string {
  return (
    `{"follower_count":${printText(social.follower_count)}` +
    `,"following_count":${printText(social.following_count)}` +
    `,"location":${printText(social.location)}` +
    `,"profile_bio":${printText(social.profile_bio)}` +
    `,"profile_display_name":${printText(social.profile_display_name)}` +
    `,"profile_image_url":${printText(social.profile_image_url)}` +
    `,"profile_name":${printText(social.profile_name)}` +
    `,"profile_url":${printText(social.profile_url)}` +
    `,"source":${printText(social.source)}}`
  );
}
