import type { PassportDetail } from "@credence/contract/passport.ts";
import { presentPerson } from "#operations/people/present-person.ts";
import { groupByPerson, type HeldPassport, readPassports, readPeople } from "#operations/people/read-people.ts";
import { presentPassport } from "#present/passport.ts";
import { PRESENTER_VERSION } from "#present/version.ts";
import type { Connection } from "#store/engine/database.ts";
import type { StoredDocuments, StoredPassportDocument } from "#store/people/documents.ts";
import { listGainedWallets } from "#store/people/merges.ts";
import { listDueIds } from "#store/scores/recalculation-queue.ts";

/** The documents these people should have, made from their facts alone. Who is hidden or not here has none. */
export async function makeDocuments(connection: Connection, ids: readonly number[]): Promise<StoredDocuments[]> {
  const people = await readPeople(connection, ids);
  const credentials = new Map(people.map((held) => [held.passport.passport_id, held.credentials]));
  const shown = await showPassports(connection, people);
  return shown.map((passport) => presentPerson({ passport, credentials: credentials.get(passport.passport_id) ?? [] }));
}

/** Of the two documents of each of these people, the passport's. */
export async function makePassportDocuments(
  connection: Connection,
  ids: readonly number[],
): Promise<StoredPassportDocument[]> {
  return presentPassports(connection, await readPassports(connection, ids));
}

export async function presentPassports(
  connection: Connection,
  people: readonly HeldPassport[],
): Promise<StoredPassportDocument[]> {
  const shown = await showPassports(connection, people);
  return shown.map((passport) => ({
    passport_id: passport.passport_id,
    ...presentPassport(passport),
    presenter: PRESENTER_VERSION,
  }));
}

/** What V1 shows of these people: those not hidden, with what merges and a queued recalculation add to their own facts. */
async function showPassports(connection: Connection, people: readonly HeldPassport[]): Promise<PassportDetail[]> {
  const shown = people.filter(({ operator }) => !operator.hidden);
  const ids = shown.map(({ passport }) => passport.passport_id);
  const gained = groupByPerson(await listGainedWallets(connection, ids));
  const due = new Set(await listDueIds(connection, ids));
  return shown.map(({ passport, operator }) => {
    const addresses = gained(passport.passport_id).map((wallet) => wallet.address);
    return {
      ...passport,
      calculating_score: passport.calculating_score || due.has(passport.passport_id),
      verified_wallets: withGained(passport.verified_wallets, addresses),
      merged: passport.merged || operator.merged_into !== null,
    };
  });
}

/** A record's own wallets as it lists them, then those it gained by merges, each once. */
function withGained(own: readonly string[], gained: readonly string[]): string[] {
  return [...own, ...new Set(gained).difference(new Set(own))];
}
