import { fingerprintOf, hashWallet } from "#identity/opt-out-key.ts";
import { type Connection, type Database, inTransaction } from "#store/engine/database.ts";
import { lockPeople } from "#store/engine/locks.ts";
import { insertOptOuts, updateHashesApplied } from "#store/holders/opt-outs.ts";
import { analyzePeople } from "#store/holders/planner-statistics.ts";
import { listAbsorbedIds } from "#store/people/merges.ts";
import { listClaims, listWallets } from "#store/people/wallets.ts";
import { erasePeople } from "./erase-people.ts";
import { sweepPeople } from "./sweep-opt-outs.ts";

/** Whom it concerns beside the person: others who list one of their wallets, and records merged into theirs. */
export type PlannedErasure = {
  wallets: number;
  /** Erased as well, as one of the wallets is their main one. */
  erased_too: number[];
  /** They lose a wallet they list beside others. */
  lose_a_wallet: number[];
  /** Merged into this person; they stay. */
  absorbed: number[];
};

/** What erasing somebody would touch. */
export async function planErasure(connection: Connection, passportId: number): Promise<PlannedErasure> {
  const addresses = await listAddresses(connection, passportId);
  const claims = (await listClaims(connection, addresses)).filter((claim) => claim.passport_id !== passportId);
  const erasedToo = new Set(claims.filter((claim) => claim.position === 0).map((claim) => claim.passport_id));
  return {
    wallets: addresses.length,
    erased_too: [...erasedToo],
    lose_a_wallet: [...new Set(claims.map((claim) => claim.passport_id)).difference(erasedToo)],
    absorbed: await listAbsorbedIds(connection, [passportId]),
  };
}

/**
 * Removes all that is held of a person and leaves a tombstone: their id, and their wallets as hashes under the key. From then on
 * no import takes them in, and nobody else may list those wallets, in the future or now. False if nobody was there.
 */
export async function erasePerson(database: Database, passportId: number, key: string): Promise<boolean> {
  const erased = await inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const addresses = await listAddresses(connection, passportId);
    if ((await erasePeople(connection, [passportId])).length === 0) return false;
    const wallets = addresses.map((address) => hashWallet(key, address));
    await insertOptOuts(connection, [{ passport_id: passportId, key: fingerprintOf(key), wallets }]);
    const claims = await listClaims(connection, addresses);
    await sweepPeople(connection, key, [...new Set(claims.map((claim) => claim.passport_id))]);
    await updateHashesApplied(connection, wallets);
    return true;
  });
  // What is common or extreme in a column stands in the planner's statistics, by its name.
  if (erased) await analyzePeople(database);
  return erased;
}

async function listAddresses(connection: Connection, passportId: number): Promise<string[]> {
  const wallets = await listWallets(connection, [passportId]);
  return [...new Set(wallets.map((wallet) => wallet.address))];
}
