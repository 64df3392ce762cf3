import type { Person } from "@credence/contract/person.ts";

/** What the original service is believed to have sent beside its documentation. */
const MORE = { created_at: "2023-01-01T00:00:00.000Z", user: { email: "a@b.example" } };

/**
 * A passport as an old server with quirks sends it: counts are numbers, numbers are texts in some
 * records, wallets have a checksum's letter case, and there are nulls and fields that V1 does not have.
 */
export function quirkyPassport(passport: object): object {
  const { passport_socials, main_wallet, verified_wallets, score, passport_id } = passport as Person["passport"];
  const isText = passport_id % 3 === 0 && score !== null;
  const profile = { ...(passport as Person["passport"]).passport_profile, tags: null };
  return {
    ...MORE,
    // The fields of V1 keep their order.
    ...passport,
    ...(isText && { score: score.toFixed(2) }),
    ...(main_wallet !== null && { main_wallet: mixedCase(main_wallet) }),
    verified_wallets: verified_wallets.map(mixedCase),
    // Not in the list.
    ...(passport_socials !== undefined && {
      passport_socials: passport_id % 13 === 0 ? null : passport_socials.map(quirkySocial),
    }),
    // Null where V1 has none.
    ...(passport_id % 7 === 0 && { activity_score: null, skills_score: null }),
    ...(passport_id % 11 === 0 && { verified_wallets: null }),
    ...(passport_id % 5 === 0 && { passport_profile: profile }),
  };
}

const quirkySocial = (social: Person["passport"]["passport_socials"][number]): object => ({
  ...social,
  follower_count: asNumber(social.follower_count),
  following_count: asNumber(social.following_count),
});

export const withoutScore = (person: Person): Person => ({
  ...person,
  passport: { ...person.passport, score: null },
});

const asNumber = (count: string | null): number | string | null =>
  count !== null && /^\d{1,15}$/.test(count) ? Number(count) : count;

const mixedCase = (wallet: string): string =>
  /^0x[0-9a-f]{40}$/.test(wallet) ? wallet.replaceAll(/[a-f](?=[0-7])/g, (letter) => letter.toUpperCase()) : wallet;
