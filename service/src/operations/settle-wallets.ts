import type { Connection } from "#store/database.ts";
import {
  type ContestedWallet,
  insertWalletOwners,
  listContestedWallets,
  listOwnedWallets,
  updateWalletOwners,
} from "#store/wallets.ts";

/** A wallet as a record lists it, and whether that record was merged away. */
export type Claim = { address: string; passport_id: number; merged: boolean };

/**
 * Decides whom wallets lead to, after the facts are written: those newly claimed, and those touched in another way. Most new wallets are
 * claimed by one record and by nobody before; they lead to it, and only the others need the rule that looks at all claims.
 * Returns those that several records claim since.
 */
export async function settleWallets(
  connection: Connection,
  claims: readonly Claim[],
  touched: Iterable<string>,
): Promise<ContestedWallet[]> {
  const byAddress = new Map<string, Claim | null>();
  for (const claim of claims) {
    const other = byAddress.get(claim.address);
    const alone = other === undefined || other?.passport_id === claim.passport_id;
    byAddress.set(claim.address, alone && !claim.merged ? claim : null);
  }
  for (const address of await listOwnedWallets(connection, [...byAddress.keys()])) byAddress.set(address, null);
  await insertWalletOwners(
    connection,
    [...byAddress.values()].filter((claim) => claim !== null),
  );
  const others = byAddress.entries().flatMap(([address, claim]) => (claim === null ? [address] : []));
  const unsettled = [...new Set(touched).union(new Set(others))];
  if (unsettled.length === 0) return [];
  await updateWalletOwners(connection, unsettled);
  if (claims.length === 0) return [];
  const newIds = [...new Set(claims.map((claim) => claim.passport_id))];
  return listContestedWallets(connection, unsettled, newIds);
}
