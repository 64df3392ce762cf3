import type { Person, PersonPassport } from "@credence/contract/person.ts";
import type { Connection } from "#core/database/database.ts";
import type { StoredDocuments, StoredPassportDocument } from "#people/facts/documents.ts";
import { listGainedWallets } from "#people/facts/merges.ts";
import { presentCredentials } from "#people/present/credentials.ts";
import { presentPassport } from "#people/present/passport.ts";
import { PRESENTER_VERSION } from "#people/present/version.ts";
import { groupByPerson, type PassportFacts, readPassports, readPeople } from "#people/read/read-people.ts";

/**
 * The documents that these people should have, from their facts. Hidden and unknown people have
 * none.
 */
export async function makeDocuments(connection: Connection, ids: readonly number[]): Promise<StoredDocuments[]> {
  const people = await readPeople(connection, ids);
  const credentials = new Map(people.map((facts) => [facts.passport.passport_id, facts.credentials]));
  const shown = await showPassports(connection, people);
  return shown.map((passport) => presentPerson({ passport, credentials: credentials.get(passport.passport_id) ?? [] }));
}

/** The passport documents alone. */
export async function makePassportDocuments(
  connection: Connection,
  ids: readonly number[],
): Promise<StoredPassportDocument[]> {
  const shown = await showPassports(connection, await readPassports(connection, ids));
  return shown.map((passport) => ({
    passport_id: passport.passport_id,
    ...presentPassport(passport),
  }));
}

/**
 * What V1 shows of these people: facts, with the effects of merges.
 */
async function showPassports(connection: Connection, people: readonly PassportFacts[]): Promise<PersonPassport[]> {
  const visible = people.filter(({ operator }) => !operator.hidden);
  const ids = visible.map(({ passport }) => passport.passport_id);
  const gained = groupByPerson(await listGainedWallets(connection, ids));
  return visible.map(({ passport, operator }) => {
    const { passport_id, verified_wallets, merged } = passport;
    const addresses = gained(passport_id).map((wallet) => wallet.address);
    return {
      ...passport,
      // Listed wallets first, then those gained by merges, without duplicates.
      verified_wallets: [...verified_wallets, ...new Set(addresses).difference(new Set(verified_wallets))],
      merged: merged || operator.merged_into !== null,
    };
  });
}

/** The two documents of a person, from the passport and the credentials alone. */
export function presentPerson({ passport, credentials }: Person): StoredDocuments {
  const { body: credentials_body, etag: credentials_etag } = presentCredentials(credentials);
  return {
    passport_id: passport.passport_id,
    ...presentPassport(passport),
    credentials_body,
    credentials_etag,
    credentials_presenter: PRESENTER_VERSION,
  };
}
