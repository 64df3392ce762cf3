import type { Connection } from "#store/engine/database.ts";
import {
  type ContestedWallet,
  insertWalletOwners,
  listClaimedWallets,
  listContestedWallets,
  updateWalletOwners,
} from "#store/people/wallets.ts";

/** A wallet as a record lists it. `plain`: the record is neither merged nor hidden. */
export type Claim = { address: string; passport_id: number; plain: boolean };

/**
 * Settles the owners of wallets after the facts are written: those newly claimed, and those touched in another way. Most new wallets
 * are listed by one record only, which then owns them; the others need the rule that looks at all claims. Returns the wallets that
 * several records claim.
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
    byAddress.set(claim.address, alone && claim.plain ? claim : null);
  }
  for (const address of await listClaimedWallets(connection, [...byAddress.keys()])) byAddress.set(address, null);
  for (const address of touched) byAddress.set(address, null);
  await insertWalletOwners(
    connection,
    [...byAddress.values()].filter((claim) => claim !== null),
  );
  const unsettled = [...byAddress].flatMap(([address, claim]) => (claim === null ? [address] : []));
  if (unsettled.length === 0) return [];
  await updateWalletOwners(connection, unsettled);
  if (claims.length === 0) return [];
  const newIds = [...new Set(claims.map((claim) => claim.passport_id))];
  return listContestedWallets(connection, unsettled, newIds);
}
