import type { Connection } from "#store/engine/database.ts";
import { deleteCredentials } from "#store/people/credentials.ts";
import { deleteDocuments } from "#store/people/documents.ts";
import { deletePassports } from "#store/people/passports.ts";
import { deleteSocials } from "#store/people/socials.ts";
import { deleteWallets } from "#store/people/wallets.ts";

/**
 * Deletes the facts and documents of these people. With `walletsOf`, only these people's wallets.
 */
export async function deletePeople(
  connection: Connection,
  ids: readonly number[],
  walletsOf: readonly number[] = ids,
): Promise<void> {
  if (ids.length === 0) return;
  await deletePassports(connection, ids);
  await deleteWallets(connection, walletsOf);
  await deleteSocials(connection, ids);
  await deleteCredentials(connection, ids);
  await deleteDocuments(connection, ids);
}
