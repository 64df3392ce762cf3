import type { Connection } from "#core/database/database.ts";
import { listStoredIds } from "#people/facts/passports.ts";
import { listClaims, listWallets } from "#people/facts/wallets.ts";
import { readPeople } from "#people/read/read-people.ts";
import { preparePeople } from "#people/write/prepare-person.ts";
import { writePeople } from "#people/write/save-people.ts";
import { erasePeople } from "./erase-people.ts";
import { findOptedOutWallets } from "./find-opted-out-wallets.ts";
import { fingerprintOf, hashWallet, optOutForm } from "./opt-out.ts";
import { insertOptOuts, updateHashesApplied } from "./opt-outs.ts";
import { forgetRequestsOf, listOpenErasures } from "./requests-of-person.ts";

/**
 * Deletes a person and leaves a tombstone, in the caller's transaction and under its lock of people. Others
 * lose the wallets, or are removed too. Returns false if the person is not stored.
 */
export async function eraseWithTombstone(
  connection: Connection,
  passportId: number,
  key: string,
  requestId: number | null = null,
): Promise<boolean> {
  const addresses = await listAddresses(connection, passportId);
  if ((await erasePeople(connection, [passportId], { requestId, keptRequestId: requestId })).length === 0) return false;
  const wallets = addresses.map((address) => hashWallet(key, optOutForm(address)));
  await insertOptOuts(connection, [{ passport_id: passportId, key: fingerprintOf(key), wallets }], "here");
  const claims = await listClaims(connection, addresses);
  await sweepPeople(connection, [key], [...new Set(claims.map((claim) => claim.passport_id))], requestId);
  // What these wallets signed about records that have lost them.
  await forgetRequestsOf(connection, [], addresses, requestId);
  await updateHashesApplied(connection, wallets);
  return true;
}

/**
 * Erases records whose main wallet is one of somebody who opted out: they are the same holder's. Their
 * tombstone has the id, and of a holder who waits for an erasure the wallets too. Returns those that were
 * stored.
 */
export async function eraseWithAnother(
  connection: Connection,
  ids: readonly number[],
  [key]: readonly string[],
  keptRequestId: number | null = null,
): Promise<number[]> {
  const storedIds = await listStoredIds(connection, ids);
  if (key !== undefined) {
    for (const { passport_id, request_id } of await listOpenErasures(connection, storedIds))
      await eraseWithTombstone(connection, passport_id, key, request_id);
  }
  const others = await erasePeople(connection, storedIds, { keptRequestId });
  if (others.length > 0)
    await insertOptOuts(
      connection,
      others.map((passport_id) => ({ passport_id })),
      "here",
    );
  return storedIds;
}

/** Ids of erased people, and the number of people who lost a wallet. */
export type Swept = { erased: number[]; changed: number };

/**
 * Applies opted-out wallets to these people. A person whose main wallet opted out is erased; a person who
 * lists it as a further wallet loses it.
 */
export async function sweepPeople(
  connection: Connection,
  keys: readonly string[],
  ids: readonly number[],
  keptRequestId: number | null = null,
): Promise<Swept> {
  const wallets = await listWallets(connection, ids);
  const addresses = wallets.map((wallet) => wallet.address);
  const optedOut = await findOptedOutWallets(connection, keys, addresses);
  if (optedOut.size === 0) return { erased: [], changed: 0 };
  const matches = wallets.filter((wallet) => optedOut.has(wallet.address));
  const erased = new Set(matches.filter((wallet) => wallet.position === 0).map((wallet) => wallet.passport_id));
  await eraseWithAnother(connection, [...erased], keys, keptRequestId);
  const losing = new Set(matches.map((wallet) => wallet.passport_id)).difference(erased);
  const people = (await readPeople(connection, [...losing])).map((person) => ({
    ...person,
    passport: {
      ...person.passport,
      verified_wallets: person.passport.verified_wallets.filter((address) => !optedOut.has(address)),
    },
  }));
  await writePeople(connection, preparePeople(people));
  return { erased: [...erased], changed: losing.size };
}

export async function listAddresses(connection: Connection, passportId: number): Promise<string[]> {
  const wallets = await listWallets(connection, [passportId]);
  return [...new Set(wallets.map((wallet) => wallet.address))];
}
