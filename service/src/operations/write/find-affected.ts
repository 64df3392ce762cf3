import type { Connection } from "#store/engine/database.ts";
import { listAbsorbedIds, listSurvivorIds } from "#store/people/merges.ts";
import { listWallets } from "#store/people/wallets.ts";

export type Reach = { people: Set<number>; addresses: Set<string> };

/** Whose documents and which wallets depend on these people: survivors show the wallets of those they absorbed. */
export async function findReach(connection: Connection, ids: readonly number[]): Promise<Reach> {
  if (ids.length === 0) return { people: new Set(), addresses: new Set() };
  const survivors = await listSurvivorIds(connection, ids);
  const absorbed = await listAbsorbedIds(connection, ids);
  const wallets = await listWallets(connection, [...ids, ...absorbed]);
  return { people: new Set(survivors), addresses: new Set(wallets.map((wallet) => wallet.address)) };
}
