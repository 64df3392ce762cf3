import { expect, test } from "vitest";
import { Pagination, PassportCredentials, PassportList, SinglePassport } from "./answers.ts";
import { Credential } from "./credential.ts";
import { Passport, PassportDetail, PassportProfile, PassportSocial } from "./passport.ts";

// The specification's order is part of V1: answers are compared byte for byte.
const specified = {
  passport:
    "activity_score identity_score skills_score score calculating_score connections_count human_checkmark last_calculated_at main_wallet passport_id passport_profile verified_wallets",
  profile: "bio display_name location tags",
  social:
    "follower_count following_count location profile_bio profile_display_name profile_image_url profile_name profile_url source",
  pagination: "current_page last_page total",
  credential: "id earned_at category last_calculated_at max_score score name type value",
};

test.each([
  [Passport, specified.passport],
  [PassportDetail, `${specified.passport} merged passport_socials`],
  [PassportProfile, specified.profile],
  [PassportSocial, specified.social],
  [Pagination, specified.pagination],
  [Credential, specified.credential],
  [PassportList, "passports pagination"],
  [SinglePassport, "passport"],
  [PassportCredentials, "passport_credentials"],
])("an object has exactly the specified fields, in the specified order, all required", (schema, fields) => {
  expect(Object.keys(schema.properties)).toEqual(fields.split(" "));
  expect(schema.required).toEqual(fields.split(" "));
  expect(schema).toHaveProperty("additionalProperties", false);
});
