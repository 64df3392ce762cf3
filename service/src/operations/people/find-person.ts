import { parseReference } from "#identity/reference.ts";
import type { Connection } from "#store/engine/database.ts";
import { listClaims } from "#store/people/wallets.ts";
import { type HeldPerson, readPeople } from "./read-people.ts";

/** `several` are the ids of those who list the wallet, when it is not one person alone; `unreadable` is no id and no wallet. */
export type FoundPerson = { person: HeldPerson | null; several: number[]; unreadable?: true };

/**
 * All that is held of somebody, hidden or not, found by id, or by a wallet that only they list. V1 settles on one of several; who
 * is to be hidden, erased or handed their data must not be settled on.
 */
export async function findPerson(connection: Connection, reference: string): Promise<FoundPerson> {
  const found = parseReference(reference);
  if (found === null) return { person: null, several: [], unreadable: true };
  const ids = found.kind === "passport_id" ? [found.passportId] : await listClaimants(connection, found.address);
  if (ids.length > 1) return { person: null, several: ids };
  const [person] = await readPeople(connection, ids);
  return { person: person ?? null, several: [] };
}

async function listClaimants(connection: Connection, address: string): Promise<number[]> {
  const claims = await listClaims(connection, [address]);
  return [...new Set(claims.map((claim) => claim.passport_id))];
}
