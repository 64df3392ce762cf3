import { fingerprintOf, hashWallet } from "#identity/opt-out-key.ts";
import type { Connection } from "#store/engine/database.ts";
import { hasOptedOutWallets, listOptedOutHashes } from "#store/holders/opt-outs.ts";

/** Those of these wallets that opted out. They are known by their hashes under a key: without that key, none is. */
export async function findOptedOutWallets(
  connection: Connection,
  key: string | null,
  addresses: readonly string[],
): Promise<Set<string>> {
  if (key === null || !(await hasOptedOutWallets(connection, fingerprintOf(key)))) return new Set();
  const byHash = new Map(addresses.map((address) => [hashWallet(key, address), address]));
  const found = await listOptedOutHashes(connection, [...byHash.keys()]);
  return new Set(found.map((hash) => byHash.get(hash) as string));
}
