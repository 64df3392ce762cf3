import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { listClaims } from "#people/facts/wallets.ts";
import { analyzePeople } from "./planner-statistics.ts";
import { eraseWithTombstone, listAddresses } from "./remove-people.ts";

/** Effects on other records that list one of the wallets. */
export type PlannedErasure = {
  wallets: number;
  /** Erased too: one of the wallets is their main wallet. */
  erased_too: number[];
  /** They list one of the wallets as a further wallet, and lose it. */
  lose_a_wallet: number[];
};

export async function planErasure(connection: Connection, passportId: number): Promise<PlannedErasure> {
  const addresses = await listAddresses(connection, passportId);
  const claims = (await listClaims(connection, addresses)).filter((claim) => claim.passport_id !== passportId);
  const erasedToo = new Set(claims.filter((claim) => claim.position === 0).map((claim) => claim.passport_id));
  return {
    wallets: addresses.length,
    erased_too: [...erasedToo],
    lose_a_wallet: [...new Set(claims.map((claim) => claim.passport_id)).difference(erasedToo)],
  };
}

/**
 * Deletes a person and leaves a tombstone: the id, and the wallets as hashes under the key. No
 * later import brings the person back, and no other record may list these wallets. Returns false if
 * the person is not stored.
 */
export async function erasePerson(database: Database, passportId: number, key: string): Promise<boolean> {
  const isErased = await inTransaction(database, async (connection) => {
    await lockPeople(connection);
    return eraseWithTombstone(connection, passportId, key);
  });
  if (isErased) await analyzePeople(database);
  return isErased;
}
