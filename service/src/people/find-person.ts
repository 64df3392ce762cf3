import type { Connection } from "#core/database/database.ts";
import type { Reference } from "#core/identity/reference.ts";
import { listLines } from "#people/facts/people.ts";
import { listClaims } from "#people/facts/wallets.ts";
import { type PersonFacts, parseLine } from "#people/line.ts";

/** `several` has the ids of all records that list the wallet, if more than one does. */
export type FoundPerson = { person: PersonFacts | null; several: number[] };

/**
 * The facts of a person, hidden or not, by id or by a wallet that only this person lists. V1 picks
 * one of several records; hiding, erasing and handing out data must not.
 */
export async function findPerson(connection: Connection, reference: Reference): Promise<FoundPerson> {
  const ids =
    reference.kind === "passport_id"
      ? [reference.passportId]
      : (await listClaims(connection, [reference.address])).map((claim) => claim.passport_id);
  if (ids.length > 1) return { person: null, several: ids };
  const [found] = await listLines(connection, ids);
  return { person: found === undefined ? null : parseLine(found.line), several: [] };
}
