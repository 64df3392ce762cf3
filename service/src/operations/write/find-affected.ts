import type { Connection } from "#store/engine/database.ts";
import { listAbsorbedIds, listSurvivorIds } from "#store/people/merges.ts";
import { listWallets } from "#store/people/wallets.ts";

export type Affected = { ids: Set<number>; addresses: Set<string> };

/**
 * The people whose documents, and the wallets whose owners, depend on these people through merges.
 */
export async function findAffected(connection: Connection, ids: readonly number[]): Promise<Affected> {
  if (ids.length === 0) return { ids: new Set(), addresses: new Set() };
  const survivors = await listSurvivorIds(connection, ids);
  const absorbed = await listAbsorbedIds(connection, ids);
  const wallets = await listWallets(connection, [...ids, ...absorbed]);
  return { ids: new Set(survivors), addresses: new Set(wallets.map((wallet) => wallet.address)) };
}
