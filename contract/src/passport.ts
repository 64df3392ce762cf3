import Type from "typebox";
import { closed, count, dateTimeOrNull, score, scoreOrNull, text, textOrNull } from "./fields.ts";

const EVM_EXAMPLE = `0x${"a1".repeat(20)}`;

export const PassportProfile = closed(
  {
    bio: textOrNull({
      description:
        "The person's description of themselves. Plain text, possibly several lines; null when there is none.",
      examples: ["Builds bridges, some of them digital."],
    }),
    display_name: textOrNull({
      description: "The person's display name, at most 1,000 characters. `keyword` searches it. Names are not unique.",
      examples: ["Ada Okafor"],
    }),
    location: textOrNull({
      description: "The person's stated location. Free text, not a code; null when unknown.",
      examples: ["Lagos"],
    }),
    tags: Type.Array(text({ description: "One tag." }), {
      description: "Labels such as roles and interests. Empty when there are none.",
      examples: [["developer"]],
    }),
  },
  { description: "The person's own profile. Never null." },
);
export type PassportProfile = Type.Static<typeof PassportProfile>;

const digits = "A string, normally of decimal digits. Null when unknown.";

export const PassportSocial = closed(
  {
    follower_count: textOrNull({
      description: `The number of accounts that follow the profile. ${digits}`,
      examples: ["1024"],
    }),
    following_count: textOrNull({
      description: `The number of accounts that the profile follows. ${digits}`,
      examples: ["128"],
    }),
    location: textOrNull({ description: "The profile's stated location. Free text.", examples: ["Lagos"] }),
    profile_bio: textOrNull({ description: "The profile's description. Plain text.", examples: ["gm"] }),
    profile_display_name: textOrNull({ description: "The profile's display name.", examples: ["Ada"] }),
    profile_image_url: textOrNull({
      description:
        "The URL of the profile's picture, on another server. It is sent as imported: validate it before you load it.",
      examples: ["https://images.example/ada.png"],
    }),
    profile_name: textOrNull({ description: "The account name on the network.", examples: ["ada.lens"] }),
    profile_url: textOrNull({
      description: "The URL of the profile. It is sent as imported: validate it before you link to it.",
      examples: ["https://lens.example/ada"],
    }),
    source: text({
      description: "The social network of the profile. The set of values is open.",
      examples: ["lens", "basename", "farcaster", "github", "linkedin", "talent_protocol", "builderfi", "twitter"],
    }),
  },
  { description: "A profile of the person on a social network. Every field but `source` may be null." },
);
export type PassportSocial = Type.Static<typeof PassportSocial>;

const passportFields = {
  activity_score: score({ description: "Points for the person's activity. May be a fraction.", examples: [30] }),
  identity_score: score({
    description: "Points for proofs of the person's identity. May be a fraction.",
    examples: [12.5],
  }),
  skills_score: score({ description: "Points for the person's skills. May be a fraction.", examples: [40] }),
  score: scoreOrNull({
    description:
      "The overall score, in points. The list is sorted by it. It is not necessarily the sum of the three scores above. Null when there is none.",
    examples: [82.5],
  }),
  calculating_score: Type.Boolean({
    description:
      "As imported: true if a new score was being calculated then. The list shows the value as of its snapshot.",
    examples: [false],
  }),
  connections_count: count({ description: "The number of the person's connections to other people.", examples: [17] }),
  human_checkmark: Type.Boolean({
    description: "True when the person has passed a proof-of-humanity check.",
    examples: [true],
  }),
  last_calculated_at: dateTimeOrNull({
    description: "When the scores were last calculated, in UTC with milliseconds. Null when unknown.",
  }),
  main_wallet: textOrNull({
    description:
      "The address of the person's main wallet, at most 256 characters. EVM and bech32 addresses are in lower case; base58 addresses keep their case. Null when there is none.",
    examples: [EVM_EXAMPLE],
  }),
  passport_id: count({
    minimum: 1,
    description: "The number of the passport. Unique.",
    examples: [1],
  }),
  passport_profile: PassportProfile,
  verified_wallets: Type.Array(text({ description: "A wallet address, in the same form as `main_wallet`." }), {
    description: "The addresses of the wallets whose ownership the person has proved. Empty when there are none.",
    examples: [[EVM_EXAMPLE]],
  }),
};

/** A passport as an item of the list. */
export const Passport = closed(passportFields, {
  description: "A person's reputation record in the list: scores, profile and wallets.",
});
export type Passport = Type.Static<typeof Passport>;

/** A passport as the single-passport endpoint sends it: the list's fields, then two more. */
export const PassportDetail = closed(
  {
    ...passportFields,
    merged: Type.Boolean({
      description:
        "True when the passport was merged into another one. It is not in the list, and can still be requested by its own `passport_id`. A wallet that another passport lists too finds that one.",
      examples: [false],
    }),
    passport_socials: Type.Array(PassportSocial, {
      description: "The person's profiles on social networks. Empty when there are none.",
    }),
  },
  { description: "A person's reputation record: the fields of `Passport`, then `merged` and `passport_socials`." },
);
export type PassportDetail = Type.Static<typeof PassportDetail>;
