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

const wallet = { maxLength: LIMITS.walletCharacters };

// V1's form of a moment, with numbers that a clock can show. Quicker to check than a date-time in general.
const momentOrNull = textOrNull({
  pattern: "^(?!0000)\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$",
  examples: ["2024-07-29T15:51:28.071Z"],
});

const HeldPassport = closed({
  ...PassportDetail.properties,
  last_calculated_at: momentOrNull,
  main_wallet: textOrNull(wallet),
  passport_profile: closed({
    ...PassportProfile.properties,
    display_name: textOrNull({ maxLength: LIMITS.nameCharacters }),
  }),
  verified_wallets: Type.Array(Type.String(wallet), { maxItems: LIMITS.wallets }),
  passport_socials: Type.Array(PassportDetail.properties.passport_socials.items, { maxItems: LIMITS.socials }),
});

const HeldCredential = closed({
  ...Credential.properties,
  id: Type.String({ maxLength: LIMITS.credentialIdCharacters }),
  last_calculated_at: momentOrNull,
});

/**
 * One person as V1 shows them, the way people come in and go out: the answers of two endpoints side by side.
 * `operator` holds what V1 does not show; without it, or without one of its keys, what this server knows of that kind stays.
 */
export const Person = closed({
  passport: HeldPassport,
  credentials: Type.Array(HeldCredential, { maxItems: LIMITS.credentials }),
  operator: Type.Optional(
    closed({
      hidden: Type.Optional(Type.Boolean({ description: "True: look-ups and the list know nothing of this person." })),
      merged_into: Type.Optional(
        Type.Unsafe<number | null>({
          type: ["integer", "null"],
          minimum: 1,
          maximum: LARGEST_INTEGER,
          description: "The passport_id of the person who absorbed this one.",
        }),
      ),
    }),
  ),
});
export type Person = Type.Static<typeof Person>;

/** Someone who is not to be taken in again: by id, and by the hashes of their wallets under the key named. */
export const OptOut = closed({
  passport_id: count({ minimum: 1 }),
  key: Type.Optional(Type.String({ pattern: "^[0-9a-f]{16}$", description: "The fingerprint of the key." })),
  wallets: Type.Optional(
    Type.Array(Type.String({ pattern: "^[0-9a-f]{64}$" }), {
      maxItems: LIMITS.wallets + 1,
      description: "HMAC-SHA-256 of each wallet, EVM ones in lower case, under the operator's key.",
    }),
  ),
});
export type OptOut = Type.Static<typeof OptOut>;
