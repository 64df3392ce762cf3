import type { Connection } from "#core/database/database.ts";
import {
  type ContestedWallet,
  insertWalletOwners,
  listClaimedWallets,
  listContestedWallets,
  updateWalletOwners,
} from "#people/facts/wallet-owner-rule.ts";

/** A wallet that a record lists. Hidden records own none. */
export type Claim = { address: string; passport_id: number; isHidden: boolean };

/**
 * Writes the owners of wallets after the facts are written. Most new wallets have one claim,
 * whose record owns them. All other wallets, and those in `addresses`, go through the rule in
 * wallet-owner-rule.ts, which looks at every claim. Returns the wallets that several records claim.
 */
export async function writeWalletOwners(
  connection: Connection,
  claims: readonly Claim[],
  addresses: Iterable<string>,
): Promise<ContestedWallet[]> {
  const single = new Map<string, Claim>();
  const unsettled = new Set(addresses);
  for (const claim of claims) {
    const { address, passport_id, isHidden } = claim;
    const other = single.get(address);
    if (isHidden || (other !== undefined && other.passport_id !== passport_id)) unsettled.add(address);
    else single.set(address, claim);
  }
  const claimed = new Set(claims.map((claim) => claim.address));
  for (const address of await listClaimedWallets(connection, [...claimed])) unsettled.add(address);
  await insertWalletOwners(
    connection,
    [...single.values()].filter((claim) => !unsettled.has(claim.address)),
  );
  if (unsettled.size === 0) return [];
  await updateWalletOwners(connection, [...unsettled]);
  if (claims.length === 0) return [];
  const newIds = [...new Set(claims.map((claim) => claim.passport_id))];
  return listContestedWallets(connection, [...unsettled], newIds);
}
