import Type from "typebox";
import { closed, count, momentOrNull, score, scoreOrNull, text, textOrNull } from "./fields.ts";

const EVM_EXAMPLE = `0x${"a1".repeat(20)}`;

export const PassportProfile = closed(
  {
    bio: textOrNull({
      description:
        "What the person says about themselves. Plain text, several lines possible; null when there is none.",
      examples: ["Builds bridges, some of them digital."],
    }),
    display_name: textOrNull({
      description:
        "The name the person is shown by, at most 1,000 characters. `keyword` searches it. Names are not unique.",
      examples: ["Ada Okafor"],
    }),
    location: textOrNull({
      description: "Where the person says they are. Free text, not a code; null when unknown.",
      examples: ["Lagos"],
    }),
    tags: Type.Array(text({ description: "One tag." }), {
      description: "Words that describe the person, such as roles and interests. Empty when there are none.",
      examples: [["developer"]],
    }),
  },
  { description: "What the person says about themselves. Never null." },
);
export type PassportProfile = Type.Static<typeof PassportProfile>;

const digits = "A string, not a number: normally decimal digits, so parse it with care. Null when unknown.";

export const PassportSocial = closed(
  {
    follower_count: textOrNull({ description: `How many accounts follow the profile. ${digits}`, examples: ["1024"] }),
    following_count: textOrNull({ description: `How many accounts the profile follows. ${digits}`, examples: ["128"] }),
    location: textOrNull({ description: "The location the profile states. Free text.", examples: ["Lagos"] }),
    profile_bio: textOrNull({ description: "The profile's own description. Plain text.", examples: ["gm"] }),
    profile_display_name: textOrNull({ description: "The name the profile shows.", examples: ["Ada"] }),
    profile_image_url: textOrNull({
      description:
        "The address of the profile's picture, on another server. It is sent as imported: check it before you load it.",
      examples: ["https://images.example/ada.png"],
    }),
    profile_name: textOrNull({ description: "The account name on the network.", examples: ["ada.lens"] }),
    profile_url: textOrNull({
      description: "The address of the profile. It is sent as imported: check it before you link to it.",
      examples: ["https://lens.example/ada"],
    }),
    source: text({
      description: "The social network the profile comes from. An open list: new values may appear.",
      examples: ["lens", "basename", "farcaster", "github", "linkedin", "talent_protocol", "builderfi", "twitter"],
    }),
  },
  { description: "A profile of the person on a social network. Every field but `source` may be null." },
);
export type PassportSocial = Type.Static<typeof PassportSocial>;

const passportFields = {
  activity_score: score({ description: "Points for what the person does. May be a fraction.", examples: [30] }),
  identity_score: score({
    description: "Points for proofs of who the person is. May be a fraction.",
    examples: [12.5],
  }),
  skills_score: score({ description: "Points for what the person can do. May be a fraction.", examples: [40] }),
  score: scoreOrNull({
    description:
      "The overall score, in points. The list is sorted by it. It need not be the sum of the three scores above. Null when there is none.",
    examples: [82.5],
  }),
  calculating_score: Type.Boolean({
    description:
      "True from the moment a recalculation is queued until it is done. Until then the old score is sent. The list shows the value as of its snapshot.",
    examples: [false],
  }),
  connections_count: count({ description: "How many connections to other people the person has.", examples: [17] }),
  human_checkmark: Type.Boolean({
    description: "True when the person has passed a check that they are human.",
    examples: [true],
  }),
  last_calculated_at: momentOrNull({
    description: "When the scores were last calculated, in UTC with milliseconds. Null when unknown.",
  }),
  main_wallet: textOrNull({
    description:
      "The address of the person's main wallet, at most 256 characters. EVM and bech32 addresses are in lower case, base58 addresses keep their case. Null when there is none.",
    examples: [EVM_EXAMPLE],
  }),
  passport_id: count({
    minimum: 1,
    description: "The number of the passport. No two people share one.",
    examples: [1],
  }),
  passport_profile: PassportProfile,
  verified_wallets: Type.Array(text({ description: "A wallet address, written as `main_wallet` is." }), {
    description:
      "The addresses of wallets the person has proved to hold. Wallets gained by a merge come last. Empty when there are none.",
    examples: [[EVM_EXAMPLE]],
  }),
};

/** A passport as an item of the list. */
export const Passport = closed(passportFields, {
  description: "A person's reputation record, as the list shows it: scores, profile and wallets.",
});
export type Passport = Type.Static<typeof Passport>;

/** A passport as the single-passport endpoint sends it: the list's fields, then two more. */
export const PassportDetail = closed(
  {
    ...passportFields,
    merged: Type.Boolean({
      description:
        "True when the record was merged into another person's. It still answers under its own `passport_id`; its wallets lead to the other record.",
      examples: [false],
    }),
    passport_socials: Type.Array(PassportSocial, {
      description: "The person's profiles on social networks. Empty when there are none.",
    }),
  },
  { description: "A person's reputation record: the fields of the list, then `merged` and `passport_socials`." },
);
export type PassportDetail = Type.Static<typeof PassportDetail>;
