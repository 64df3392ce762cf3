import type { PassportDetail } from "@credence/contract/passport.ts";
import type { Person } from "@credence/contract/person.ts";
import { inventCredentials, inventPerson, inventWallet, sumScores } from "./person.ts";
import { type Random, randomFrom } from "./random.ts";

type Change = (person: Person, random: Random) => Partial<PassportDetail>;

const named =
  (display_name: string | null, bio: string | null = null): Change =>
  ({ passport }) => ({
    passport_profile: { ...passport.passport_profile, display_name, bio },
    passport_socials: passport.passport_socials.map((social) => ({ ...social, profile_display_name: display_name })),
  });

const scored =
  (score: number | null): Change =>
  () => ({ score });

/** The wallet that the API reference shows as an example. */
const ADAS_WALLET = `0x${"a1".repeat(20)}`;

const MERGED_WALLET = `0x${"19".repeat(20)}`;

/** The edge cases that clients must handle, one person each, with the ids 1, 2, 3, … */
const ODD_PEOPLE: readonly Change[] = [
  (person, random) => ({
    ...named("Ada Okafor", "Builds bridges, some of them digital.")(person, random),
    main_wallet: ADAS_WALLET,
    verified_wallets: [ADAS_WALLET, inventWallet(random)],
  }),
  named(null),
  named("محمد بن موسى"),
  named("مُحَمَّد", "The same name as somebody else's, with its vowel marks."),
  named("王小明"),
  named("🦊 Fox 👩‍👩‍👧‍👦", "A family in one character."),
  named("José Straße-Łódź", "Accents that people leave out when they search."),
  named("ΟΔΥΣΣΕΑΣ"),
  named(
    'Robert"); drop table passport;--',
    "<script>alert('bio')</script> \"quoted\" & \\ back-slashed\nand broken\tup",
  ),
  named("100%_sure\\", "A name made of wildcards."),
  named("   \u200b  ", "A name that cannot be seen."),
  named("A very long name that goes on and on ".repeat(8).trim()),
  (person) => {
    person.credentials = [];
    return sumScores([]);
  },
  (person, random) => {
    person.credentials = inventCredentials(random, 40, "2024-07-29T15:51:28.071Z");
    return sumScores(person.credentials);
  },
  (_, random) => ({ verified_wallets: Array.from({ length: 10 }, () => inventWallet(random)) }),
  () => ({
    main_wallet: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV",
    verified_wallets: ["7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"],
  }),
  () => ({ main_wallet: null, verified_wallets: [] }),
  (person, random) => ({
    ...named("Lists the wallet of a merged record")(person, random),
    verified_wallets: [...person.passport.verified_wallets, MERGED_WALLET],
  }),
  (person, random) => ({
    ...named("Merged, its wallet finds another record")(person, random),
    ...{ merged: true, main_wallet: MERGED_WALLET, verified_wallets: [MERGED_WALLET] },
  }),
  () => ({ merged: true }),
  scored(null),
  scored(50),
  scored(50),
  scored(50),
  () => ({ calculating_score: true }),
  () => ({ score: 0, last_calculated_at: null, connections_count: 0 }),
  scored(0.0000001),
  ({ passport }) => ({
    score: 0.1 + 0.2,
    passport_socials: passport.passport_socials.map((social) => ({ ...social, follower_count: "1.2K" })),
  }),
];

export function inventOddPeople(seed: number): Person[] {
  return ODD_PEOPLE.map((change, index) => {
    const random = randomFrom(seed, index + 1);
    const person = inventPerson(random, index + 1);
    Object.assign(person.passport, change(person, random));
    return person;
  });
}
