import { fingerprintOf, hashWallet } from "#identity/opt-out-key.ts";
import type { Connection } from "#store/engine/database.ts";
import { hasOptedOutWallets, listOptedOutHashes } from "#store/holders/opt-outs.ts";

/**
 * Of these addresses, those that opted out under this key. Without the key none can be recognised.
 */
export async function findOptedOutWallets(
  connection: Connection,
  key: string | null,
  addresses: readonly string[],
): Promise<Set<string>> {
  if (key === null || !(await hasOptedOutWallets(connection, fingerprintOf(key)))) return new Set();
  const byHash = new Map(addresses.map((address) => [hashWallet(key, address), address]));
  const hashes = await listOptedOutHashes(connection, [...byHash.keys()]);
  return new Set(hashes.map((hash) => byHash.get(hash) as string));
}
