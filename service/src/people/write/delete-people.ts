import type { Connection } from "#core/database/database.ts";
import { deleteCredentials } from "#people/facts/credentials.ts";
import { deleteDocuments } from "#people/facts/documents.ts";
import { deletePassports } from "#people/facts/passports.ts";
import { deleteSocials } from "#people/facts/socials.ts";
import { deleteWallets } from "#people/facts/wallets.ts";

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
