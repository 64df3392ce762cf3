import type { CarriedFields } from "@credence/contract/carried.ts";
import type { RowEncoder } from "#core/database/copy.ts";
import { keepCarried } from "#people/present/carried.ts";
import { passportVersion } from "#people/present/version.ts";
import { type PreparedPerson, preparePerson } from "#people/write/prepare-person.ts";
import type { PersonLine } from "./import-run.ts";

/** What may have changed since a person was prepared. */
export type CurrentState = {
  carried: CarriedFields;
  /** Wallets that opted out. */
  optedOut: ReadonlySet<string>;
};

/** `walletsDropped`: how many of the person's wallets opted out. */
export type AdjustedPerson = PreparedPerson & { walletsDropped: number };

/**
 * A person with the carried fields, without opted-out wallets. The person is prepared again if one of
 * them differs from what it was prepared with.
 */
export function adjustPerson(
  { digest, incoming, person }: PersonLine,
  { carried, optedOut }: CurrentState,
  encode: RowEncoder,
): AdjustedPerson {
  const { main_wallet, verified_wallets } = person.passport;
  const isDropped = (address: string | null): boolean => address !== null && optedOut.has(address);
  const walletsDropped = [main_wallet, ...verified_wallets].filter(isDropped).length;
  const hasFields = person.presenter === passportVersion(carried);
  if (hasFields && walletsDropped === 0) {
    return { ...person, walletsDropped };
  }
  const kept = verified_wallets.filter((address) => !isDropped(address));
  const passport = { ...keepCarried(incoming.passport, carried), verified_wallets: kept };
  // A digest of the line is valid only with the fields that it was made with.
  const sourceDigest = hasFields ? digest : null;
  const prepared = preparePerson({ ...incoming, passport }, sourceDigest, encode);
  return { ...prepared, walletsDropped };
}
