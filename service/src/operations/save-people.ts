import type { Person } from "@credence/contract/person.ts";
import { fold } from "#identity/fold.ts";
import { canonicalWallet } from "#identity/reference.ts";
import { replaceCredentials } from "#store/credentials.ts";
import { type Connection, type Database, inTransaction } from "#store/database.ts";
import { lock } from "#store/locks.ts";
import { listAbsorbedIds, listSurvivorIds } from "#store/merges.ts";
import { type OperatorFacts, type PassportFacts, updateOperatorFacts, upsertPassports } from "#store/passports.ts";
import { replaceSocials } from "#store/socials.ts";
import { listWallets, replaceWallets, updateWalletOwners } from "#store/wallets.ts";
import { writeDocuments } from "./write-documents.ts";

/**
 * Saves people: their facts, whom wallets lead to, and every document that changes by it, in one transaction. Saving the
 * same people again, or in another order, ends in the same state. Of a person given twice, the last counts.
 */
export async function savePeople(database: Database, people: readonly Person[]): Promise<void> {
  const given = [...new Map(people.map((person) => [person.passport.passport_id, person])).values()];
  const ids = given.map((person) => person.passport.passport_id);
  await inTransaction(database, async (connection) => {
    // One writer of people at a time: whom a wallet leads to depends on every record that lists it.
    await lock(connection, "people");
    const before = await findReach(connection, ids);
    await writeFacts(connection, ids, given);
    const after = await findReach(connection, ids);
    await updateWalletOwners(connection, [...before.addresses.union(after.addresses)]);
    await writeDocuments(connection, [...before.people.union(after.people)]);
  });
}

type Reach = { people: Set<number>; addresses: Set<string> };

/** Whose documents and which wallets depend on these people: survivors show the wallets of those they absorbed. */
async function findReach(connection: Connection, ids: readonly number[]): Promise<Reach> {
  const survivors = await listSurvivorIds(connection, ids);
  const absorbed = await listAbsorbedIds(connection, ids);
  const wallets = await listWallets(connection, [...ids, ...absorbed]);
  return { people: new Set(survivors), addresses: new Set(wallets.map((wallet) => wallet.address)) };
}

async function writeFacts(connection: Connection, ids: readonly number[], people: readonly Person[]): Promise<void> {
  await upsertPassports(connection, people.map(passportFacts));
  await updateOperatorFacts(connection, people.flatMap(operatorFacts));
  await replaceWallets(connection, ids, people.flatMap(walletFacts));
  await replaceSocials(
    connection,
    ids,
    people.flatMap(({ passport: { passport_id, passport_socials } }) =>
      passport_socials.map((social, at) => ({ ...social, passport_id, position: at + 1 })),
    ),
  );
  await replaceCredentials(
    connection,
    ids,
    people.flatMap(({ passport: { passport_id }, credentials }) =>
      credentials.map((credential) => ({ ...credential, passport_id })),
    ),
  );
}

function passportFacts({ passport }: Person): PassportFacts {
  const { passport_profile: profile, ...facts } = passport;
  return { ...facts, ...profile, folded_name: profile.display_name === null ? null : fold(profile.display_name) };
}

function operatorFacts({ passport: { passport_id }, operator }: Person): OperatorFacts[] {
  return operator === undefined ? [] : [{ passport_id, ...operator }];
}

function walletFacts({ passport: { passport_id, main_wallet, verified_wallets } }: Person) {
  const verified = verified_wallets.map((address, at) => ({ passport_id, position: at + 1, address }));
  const main = main_wallet === null ? [] : [{ passport_id, position: 0, address: main_wallet }];
  return [...main, ...verified].map((wallet) => ({ ...wallet, address: canonicalWallet(wallet.address) }));
}
