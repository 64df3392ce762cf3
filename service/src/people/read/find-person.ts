import type { Connection } from "#core/database/database.ts";
import { parseReference } from "#core/identity/reference.ts";
import { listClaims } from "#people/facts/wallets.ts";
import { type PersonFacts, readPeople } from "./read-people.ts";

/** `several` has the ids of all records that list the wallet, if more than one does. */
export type FoundPerson = { person: PersonFacts | null; several: number[]; unreadable?: true };

/**
 * The facts of a person, hidden or not, by id or by a wallet that only this person lists. V1 picks
 * one of several records; hiding, erasing and handing out data must not.
 */
export async function findPerson(connection: Connection, reference: string): Promise<FoundPerson> {
  const parsed = parseReference(reference);
  if (parsed === null) return { person: null, several: [], unreadable: true };
  const ids = parsed.kind === "passport_id" ? [parsed.passportId] : await listClaimants(connection, parsed.address);
  if (ids.length > 1) return { person: null, several: ids };
  const [person] = await readPeople(connection, ids);
  return { person: person ?? null, several: [] };
}

async function listClaimants(connection: Connection, address: string): Promise<number[]> {
  const claims = await listClaims(connection, [address]);
  return [...new Set(claims.map((claim) => claim.passport_id))];
}
