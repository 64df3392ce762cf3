import { insertAudit } from "#store/audit.ts";
import { deleteCredentials } from "#store/credentials.ts";
import type { Connection } from "#store/database.ts";
import { deleteDocuments } from "#store/documents.ts";
import { deletePassports, listStoredIds } from "#store/passports.ts";
import { countPeopleChange } from "#store/people-changes.ts";
import { deleteRecalculations } from "#store/recalculations.ts";
import { deleteScoreChanges } from "#store/score-changes.ts";
import { deleteSocials } from "#store/socials.ts";
import { deleteWallets } from "#store/wallets.ts";
import { correctList } from "./correct-list.ts";
import { findReach } from "./find-reach.ts";
import { settleWallets } from "./settle-wallets.ts";
import { writeDocuments } from "./write-documents.ts";

/**
 * Deletes everything stored about these people, with one audit row each, in the caller's transaction and under its lock of people.
 * Returns the ids of those who were stored.
 */
export async function erasePeople(connection: Connection, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const held = await listStoredIds(connection, ids);
  if (held.length === 0) return [];
  await countPeopleChange(connection);
  const { people, addresses } = await findReach(connection, held);
  await deletePeople(connection, held);
  await deleteRecalculations(connection, held);
  await deleteScoreChanges(connection, held);
  await settleWallets(connection, [], addresses);
  await writeDocuments(connection, [...people]);
  await correctList(connection, [...people.union(new Set(held))]);
  await insertAudit(connection, "erase", held);
  return held;
}

/** Deletes every row of facts and documents that these people have; of wallets perhaps only some people's. */
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
