import type { CarriedFields } from "@credence/contract/carried.ts";
import type { RowEncoder } from "#core/database/copy.ts";
import type { Connection } from "#core/database/database.ts";
import { listPassports } from "#people/facts/passports.ts";
import { keepCarried } from "#people/present/carried.ts";
import { passportVersion } from "#people/present/version.ts";
import { type PreparedPerson, preparePerson } from "#people/write/prepare-person.ts";
import { scoresOf } from "#scores/formula/score.ts";
import type { PersonLine, StoredScores } from "./import-run.ts";

export async function listStoredScores(
  connection: Connection,
  passportIds: readonly number[],
): Promise<Map<number, StoredScores>> {
  const passports = await listPassports(connection, passportIds);
  return new Map(
    passports.map((passport) => {
      const { passport_id, calculating_score, last_calculated_at } = passport;
      return [passport_id, { ...scoresOf(passport), calculating_score, last_calculated_at }];
    }),
  );
}

/** What may have changed since a person was prepared. */
export type CurrentState = {
  carried: CarriedFields;
  /** Wallets that opted out. */
  optedOut: ReadonlySet<string>;
  /** With --recalculate, the scores that are stored now. */
  storedScores: ReadonlyMap<number, StoredScores> | null;
};

/** `walletsDropped`: how many of the person's wallets opted out. */
export type AdjustedPerson = PreparedPerson & { walletsDropped: number };

/**
 * A person with the carried fields, without opted-out wallets and, with --recalculate, with the
 * stored scores. The person is prepared again if one of them differs from what it was prepared with.
 */
export function adjustPerson(
  { digest, incoming, person, storedScores: preparedWith }: PersonLine,
  { carried, optedOut, storedScores }: CurrentState,
  encode: RowEncoder,
): AdjustedPerson {
  const { main_wallet, verified_wallets } = person.passport;
  const isDropped = (address: string | null): boolean => address !== null && optedOut.has(address);
  const walletsDropped = [main_wallet, ...verified_wallets].filter(isDropped).length;
  const scores = storedScores?.get(person.passport_id);
  const hasFields = person.presenter === passportVersion(carried);
  if (hasFields && walletsDropped === 0 && JSON.stringify(scores) === JSON.stringify(preparedWith)) {
    return { ...person, byLine: true, walletsDropped };
  }
  const kept = verified_wallets.filter((address) => !isDropped(address));
  const passport = { ...keepCarried(incoming.passport, carried), ...scores, verified_wallets: kept };
  // A digest of the line is valid only with the fields that it was made with.
  const sourceDigest = hasFields ? digest : null;
  const prepared = preparePerson({ ...incoming, passport }, sourceDigest, encode, storedScores !== null);
  return { ...prepared, byLine: true, walletsDropped };
}
