import Type from "typebox";
import { Credential } from "./credential.ts";
import { closed, textOrNull } from "./fields.ts";
import { PassportDetail, PassportProfile, PassportSocial } from "./passport.ts";
import { LIMITS } from "./person-limits.ts";

const withMaxLength = <Schema extends object>(schema: Schema, maxLength: number = LIMITS.textCharacters): Schema => ({
  ...schema,
  maxLength,
});

const wallet = {
  maxLength: LIMITS.walletCharacters,
  description: "A wallet address. EVM addresses may be in any case; they are stored and sent in lower case.",
};

// The date-time format of V1 with valid ranges for month, day and time. The pattern is faster to
// check than `format: date-time`.
const dateTimeOrNull = textOrNull({
  pattern: "^(?!0000)\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$",
  description: "When the points were last calculated, in UTC with milliseconds. Null when unknown.",
  examples: ["2024-07-29T15:51:28.071Z"],
});

const ImportedProfile = closed(
  {
    ...PassportProfile.properties,
    bio: withMaxLength(PassportProfile.properties.bio, LIMITS.bioCharacters),
    display_name: withMaxLength(PassportProfile.properties.display_name),
    location: withMaxLength(PassportProfile.properties.location),
    tags: Type.Array(withMaxLength(PassportProfile.properties.tags.items, LIMITS.tagCharacters), {
      description: "Labels such as roles and interests. Empty when there are none.",
      maxItems: LIMITS.tags,
    }),
  },
  { description: "The person's own profile. Never null." },
);

const social = PassportSocial.properties;
const ImportedSocial = closed(
  {
    follower_count: withMaxLength(social.follower_count),
    following_count: withMaxLength(social.following_count),
    location: withMaxLength(social.location),
    profile_bio: withMaxLength(social.profile_bio),
    profile_display_name: withMaxLength(social.profile_display_name),
    profile_image_url: withMaxLength(social.profile_image_url, LIMITS.urlCharacters),
    profile_name: withMaxLength(social.profile_name),
    profile_url: withMaxLength(social.profile_url, LIMITS.urlCharacters),
    source: withMaxLength(social.source),
  },
  { description: "A profile on a social network, as V1 sends it." },
);

const ImportedPassport = closed(
  {
    ...PassportDetail.properties,
    last_calculated_at: dateTimeOrNull,
    main_wallet: textOrNull(wallet),
    passport_profile: ImportedProfile,
    verified_wallets: Type.Array(Type.String(wallet), {
      maxItems: LIMITS.wallets,
      description: "The wallets whose ownership the person has proved. Empty when there are none.",
    }),
    passport_socials: Type.Array(ImportedSocial, {
      maxItems: LIMITS.socials,
      description: "The person's profiles on social networks. Empty when there are none.",
    }),
  },
  { description: "The passport as V1 sends it, with all its fields." },
);

const ImportedCredential = closed(
  {
    ...Credential.properties,
    id: Type.String({
      maxLength: LIMITS.credentialIdCharacters,
      description: "Identifies the credential. Unique within one passport.",
    }),
    category: withMaxLength(Credential.properties.category),
    last_calculated_at: dateTimeOrNull,
    name: withMaxLength(Credential.properties.name),
    type: withMaxLength(Credential.properties.type),
    value: withMaxLength(Credential.properties.value),
  },
  { description: "The credential as V1 sends it, with all its fields." },
);

/** One person in an import or export: the answers of two V1 endpoints. */
export const Person = closed({
  passport: ImportedPassport,
  credentials: Type.Array(ImportedCredential, {
    maxItems: LIMITS.credentials,
    description: "All credentials of the passport. Empty when there are none.",
  }),
});
export type Person = Type.Static<typeof Person>;
