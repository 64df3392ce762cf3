import type { Connection } from "#core/database/database.ts";
import { fingerprintOf, hashWallet, optOutForm } from "./opt-out.ts";
import { hasOptedOutWallets, listOptedOutHashes } from "./opt-outs.ts";

/**
 * Of these addresses, those that opted out under one of these keys, in any spelling. Without keys none
 * can be recognised.
 */
export async function findOptedOutWallets(
  connection: Connection,
  keys: readonly string[],
  addresses: readonly string[],
): Promise<Set<string>> {
  if (!(await hasOptedOutWallets(connection, keys.map(fingerprintOf)))) return new Set();
  const spellings = addresses.flatMap((address) =>
    keys.map((key) => ({ address, hash: hashWallet(key, optOutForm(address)) })),
  );
  const hashes = await listOptedOutHashes(connection, [...new Set(spellings.map(({ hash }) => hash))]);
  const optedOut = new Set(hashes);
  return new Set(spellings.filter(({ hash }) => optedOut.has(hash)).map(({ address }) => address));
}
