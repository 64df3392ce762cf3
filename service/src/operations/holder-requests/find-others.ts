import type { Connection } from "#store/engine/database.ts";
import type { StoredRequest } from "#store/holder-requests/requests.ts";
import { listAbsorbedIds, listSurvivorIds } from "#store/people/merges.ts";
import { listClaims, listWallets } from "#store/people/wallets.ts";

/**
 * Other people whose record the request could change: those that list the wallet that signed, for an
 * erasure those that list any wallet of the person, and all that are merged with the person. Without
 * the operator, a request is carried out only if there are none.
 */
export async function findOthersInvolved(
  connection: Connection,
  { passport_id, action, address }: Pick<StoredRequest, "passport_id" | "action" | "address">,
): Promise<number[]> {
  const listed = action === "erase" ? await listWallets(connection, [passport_id]) : [];
  const claims = await listClaims(connection, [address, ...listed.map((wallet) => wallet.address)]);
  const involved = new Set([
    ...claims.map((claim) => claim.passport_id),
    ...(await listAbsorbedIds(connection, [passport_id])),
    ...(await listSurvivorIds(connection, [passport_id])),
  ]);
  involved.delete(passport_id);
  return [...involved].toSorted((a, b) => a - b);
}
