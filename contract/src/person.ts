import Type from "typebox";
import { Credential } from "./credential.ts";
import { closed, count, LARGEST_INTEGER, textOrNull } from "./fields.ts";
import { PassportDetail, PassportProfile, PassportSocial } from "./passport.ts";

/**
 * How much one person may hold when imported. V1 sets no such limits. These keep one hostile line from slowing down everybody else:
 * a page of 100 people stays below 25 MB, and a key fits an index. Characters are Unicode code points.
 */
export const LIMITS = {
  lineBytes: 262_144,
  walletCharacters: 256,
  wallets: 1_000,
  socials: 1_000,
  credentials: 10_000,
  credentialIdCharacters: 256,
  bioCharacters: 10_000,
  urlCharacters: 4_000,
  textCharacters: 1_000,
  tags: 100,
  tagCharacters: 100,
} as const;

/** The same schema with a limit on its length. */
const limited = <Schema extends object>(schema: Schema, maxLength: number = LIMITS.textCharacters): Schema => ({
  ...schema,
  maxLength,
});

const wallet = {
  maxLength: LIMITS.walletCharacters,
  description: "A wallet address. EVM addresses may be in any case; they are stored and sent in lower case.",
};

// V1's form of a moment, with numbers that a clock can show. Quicker to check than a date-time in general.
const momentOrNull = textOrNull({
  pattern: "^(?!0000)\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$",
  description: "When the points were last calculated, in UTC with milliseconds. Null when unknown.",
  examples: ["2024-07-29T15:51:28.071Z"],
});

const HeldProfile = closed(
  {
    ...PassportProfile.properties,
    bio: limited(PassportProfile.properties.bio, LIMITS.bioCharacters),
    display_name: limited(PassportProfile.properties.display_name),
    location: limited(PassportProfile.properties.location),
    tags: Type.Array(limited(PassportProfile.properties.tags.items, LIMITS.tagCharacters), {
      description: "Labels of the person's work. Empty when there are none.",
      maxItems: LIMITS.tags,
    }),
  },
  { description: "What the person says about themselves. Never null." },
);

const social = PassportSocial.properties;
const HeldSocial = closed(
  {
    follower_count: limited(social.follower_count),
    following_count: limited(social.following_count),
    location: limited(social.location),
    profile_bio: limited(social.profile_bio),
    profile_display_name: limited(social.profile_display_name),
    profile_image_url: limited(social.profile_image_url, LIMITS.urlCharacters),
    profile_name: limited(social.profile_name),
    profile_url: limited(social.profile_url, LIMITS.urlCharacters),
    source: limited(social.source),
  },
  { description: "A profile on a social network, as V1 sends it." },
);

const HeldPassport = closed(
  {
    ...PassportDetail.properties,
    last_calculated_at: momentOrNull,
    main_wallet: textOrNull(wallet),
    passport_profile: HeldProfile,
    verified_wallets: Type.Array(Type.String(wallet), {
      maxItems: LIMITS.wallets,
      description: "The wallets the person has proved to hold. Empty when there are none.",
    }),
    passport_socials: Type.Array(HeldSocial, {
      maxItems: LIMITS.socials,
      description: "The person's profiles on social networks. Empty when there are none.",
    }),
  },
  { description: "The passport as V1 sends it, with all its fields." },
);

const HeldCredential = closed(
  {
    ...Credential.properties,
    id: Type.String({
      maxLength: LIMITS.credentialIdCharacters,
      description: "Identifies the credential. Unique within one passport.",
    }),
    category: limited(Credential.properties.category),
    last_calculated_at: momentOrNull,
    name: limited(Credential.properties.name),
    type: limited(Credential.properties.type),
    value: limited(Credential.properties.value),
  },
  { description: "The credential as V1 sends it, with all its fields." },
);

/**
 * One person as V1 shows them, the way people come in and go out: the answers of two endpoints side by side.
 * `operator` holds what V1 does not show; without it, or without one of its keys, what this server knows of that kind stays.
 */
export const Person = closed({
  passport: HeldPassport,
  credentials: Type.Array(HeldCredential, {
    maxItems: LIMITS.credentials,
    description: "All credentials of the passport. Empty when there are none.",
  }),
  operator: Type.Optional(
    closed(
      {
        hidden: Type.Optional(
          Type.Boolean({ description: "True: look-ups and the list know nothing of this person." }),
        ),
        merged_into: Type.Optional(
          Type.Unsafe<number | null>({
            type: ["integer", "null"],
            minimum: 1,
            maximum: LARGEST_INTEGER,
            description: "The passport_id of the person who absorbed this one.",
          }),
        ),
      },
      { description: "What V1 does not show. A missing key leaves the stored value as it is." },
    ),
  ),
});
export type Person = Type.Static<typeof Person>;

/** Someone who is not to be taken in again: by id, and by the hashes of their wallets under the key named. */
export const OptOut = closed({
  passport_id: count({ minimum: 1, description: "The number of the passport that is not to be imported." }),
  key: Type.Optional(Type.String({ pattern: "^[0-9a-f]{16}$", description: "The fingerprint of the key." })),
  wallets: Type.Optional(
    Type.Array(Type.String({ pattern: "^[0-9a-f]{64}$", description: "One hash, in hexadecimal digits." }), {
      maxItems: LIMITS.wallets + 1,
      description: "HMAC-SHA-256 of each wallet, EVM ones in lower case, under the operator's key.",
    }),
  ),
});
export type OptOut = Type.Static<typeof OptOut>;
