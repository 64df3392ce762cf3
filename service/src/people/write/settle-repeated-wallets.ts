import { type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { countPeopleChange } from "#list/manage/change-counter.ts";
import { correctStanding } from "#list/manage/corrections.ts";
import { writePassportDocuments } from "#people/documents/write-documents.ts";
import { deleteWallets, insertWallets, listRepeatedWallets, listWallets } from "#people/facts/wallets.ts";
import { withoutRepeated } from "./prepare-person.ts";

/** People of one transaction. */
const SLICE = 500;

/**
 * Stores each verified wallet of a person once. Earlier versions stored the spellings of one wallet in
 * a line as several. Returns how many people changed; 0 if the database was written by this version.
 */
export async function settleRepeatedWallets(database: Database): Promise<number> {
  const found = await listRepeatedWallets(database);
  for (let index = 0; index < found.length; index += SLICE) await settle(database, found.slice(index, index + SLICE));
  return found.length;
}

const settle = (database: Database, ids: readonly number[]): Promise<void> =>
  inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const byPerson = Map.groupBy(await listWallets(connection, ids), ({ passport_id }) => passport_id);
    const kept = [...byPerson].flatMap(([passport_id, wallets]) => {
      const [main, verified] = [wallets.filter(isMain), wallets.filter((wallet) => !isMain(wallet))];
      const addresses = withoutRepeated(verified.map(({ address }) => address));
      return [...main, ...addresses.map((address, index) => ({ passport_id, position: index + 1, address }))];
    });
    await deleteWallets(connection, ids);
    await insertWallets(connection, kept);
    await countPeopleChange(connection);
    await writePassportDocuments(connection, [...ids]);
    await correctStanding(connection, [...ids]);
  });

const isMain = ({ position }: { position: number }): boolean => position === 0;
