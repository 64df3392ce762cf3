import type { Person } from "@credence/contract/person.ts";
import fc from "fast-check";

// Arbitrary people that an import accepts. Every field has any valid value, in canonical form.

const text = fc.string({ unit: "binary" }).filter((value) => !value.includes("\0") && value.isWellFormed());
const textOrNull = fc.option(text);
// Maps -0 to 0.
const score = fc.double({ min: 0, max: 1e15, noNaN: true }).map((value) => (value === 0 ? 0 : value));
const count = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const timestampOrNull = fc.option(
  fc
    .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString()),
);
const address = fc.oneof(
  fc.integer({ min: 0, max: 9 }).map((digit) => `0x${String(digit).repeat(40)}`),
  fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32}$/),
);

const social = fc.record({
  follower_count: textOrNull,
  following_count: textOrNull,
  location: textOrNull,
  profile_bio: textOrNull,
  profile_display_name: textOrNull,
  profile_image_url: textOrNull,
  profile_name: textOrNull,
  profile_url: textOrNull,
  source: text,
});

const credential = fc.record({
  id: text,
  earned_at: textOrNull,
  category: fc.oneof(fc.constantFrom("Activity", "Identity", "Skills"), text),
  last_calculated_at: timestampOrNull,
  max_score: score,
  score,
  name: text,
  type: text,
  value: textOrNull,
});

export const anyPerson = (passportId: number): fc.Arbitrary<Person> =>
  fc.record({
    passport: fc.record({
      activity_score: score,
      identity_score: score,
      skills_score: score,
      score: fc.option(score),
      calculating_score: fc.boolean(),
      connections_count: count,
      human_checkmark: fc.boolean(),
      last_calculated_at: timestampOrNull,
      main_wallet: fc.option(address),
      passport_id: fc.constant(passportId),
      passport_profile: fc.record({
        bio: textOrNull,
        display_name: textOrNull,
        location: textOrNull,
        tags: fc.array(text, { maxLength: 4 }),
      }),
      verified_wallets: fc.uniqueArray(address, { maxLength: 4 }),
      merged: fc.boolean(),
      passport_socials: fc.array(social, { maxLength: 3 }),
    }),
    credentials: fc.uniqueArray(credential, { maxLength: 4, selector: ({ id }) => id }),
  });
