import Type from "typebox";
import { Credential } from "./credential.ts";
import { closed, count, LARGEST_INTEGER, textOrNull } from "./fields.ts";
import { PassportDetail, PassportProfile } from "./passport.ts";

/**
 * What one person may hold when they come in. V1 sets no such bounds; these keep one hostile line from costing everybody
 * else: a key must fit an index, a name is searched by its parts.
 */
export const LIMITS = {
  lineBytes: 1_048_576,
  walletCharacters: 256,
  wallets: 1_000,
  socials: 1_000,
  credentials: 10_000,
  credentialIdCharacters: 256,
  nameCharacters: 1_000,
} as const;

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
    display_name: textOrNull({
      maxLength: LIMITS.nameCharacters,
      description: "The name the person is shown by. `keyword` searches it. Names are not unique.",
    }),
  },
  { description: "What the person says about themselves. Never null." },
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
    passport_socials: Type.Array(PassportDetail.properties.passport_socials.items, {
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
    last_calculated_at: momentOrNull,
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
