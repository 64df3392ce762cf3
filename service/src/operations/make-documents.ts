import type { Connection } from "#store/database.ts";
import type { StoredDocuments } from "#store/documents.ts";
import { listGainedWallets } from "#store/merges.ts";
import { presentPerson } from "./present-person.ts";
import { groupByPerson, readPeople } from "./read-people.ts";

/** The documents these people should have, made from their facts alone. Who is hidden or not here has none. */
export async function makeDocuments(connection: Connection, ids: readonly number[]): Promise<StoredDocuments[]> {
  const people = await readPeople(connection, ids);
  const gained = groupByPerson(await listGainedWallets(connection, ids));
  return people
    .filter(({ operator }) => !operator.hidden)
    .map(({ passport, credentials, operator }) => {
      const addresses = gained(passport.passport_id).map((wallet) => wallet.address);
      const shown = {
        ...passport,
        verified_wallets: withGained(passport.verified_wallets, addresses),
        merged: passport.merged || operator.merged_into !== null,
      };
      return presentPerson({ passport: shown, credentials });
    });
}

/** A record's own wallets as it lists them, then those it gained by merges, each once. */
function withGained(own: readonly string[], gained: readonly string[]): string[] {
  return [...own, ...new Set(gained).difference(new Set(own))];
}
