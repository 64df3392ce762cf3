import type { Person } from "@credence/contract/person.ts";

/** The person about whom requests can be tried. Not the one whom the documentation shows. */
export const DEMO_HOLDER_ID = 29;

/** The people, one of them with this main wallet. */
export const withHolder = (people: readonly Person[], address: string): Person[] =>
  people.map((person) => {
    const { passport_id, main_wallet, verified_wallets } = person.passport;
    if (passport_id !== DEMO_HOLDER_ID) return person;
    const others = verified_wallets.filter((wallet) => wallet !== main_wallet);
    return {
      ...person,
      passport: { ...person.passport, main_wallet: address, verified_wallets: [address, ...others] },
    };
  });
