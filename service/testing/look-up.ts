import type { Connection } from "#core/database/database.ts";
import { openLookUps } from "#v1/look-ups/look-ups.ts";

// Look-ups of single people, with the queries that the server uses.

export const findPassportById = (connection: Connection, passportId: number) =>
  openLookUps(connection).passportById(passportId);

export const findPassportByWallet = (connection: Connection, address: string) =>
  openLookUps(connection).passportByWallet(address);

/** The display name of a person who is shown. */
export async function findName(connection: Connection, id: number): Promise<string | null> {
  const found = await findPassportById(connection, id);
  return found === null ? null : JSON.parse(found.body).passport_profile.display_name;
}
