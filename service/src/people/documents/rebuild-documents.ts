import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lock, lockPeople } from "#core/database/locks.ts";
import { countPeopleChange } from "#list/manage/change-counter.ts";
import { listKnownIdsAfter } from "#people/facts/documents.ts";
import {
  type Derived,
  listDerived,
  listLines,
  type StoredLine,
  updateDerived,
  updateLines,
} from "#people/facts/people.ts";
import { deleteUnlistedOwners, updateWalletOwners } from "#people/facts/wallet-owners.ts";
import { deleteWallets, insertWallets, type ListedWallet, listWallets } from "#people/facts/wallets.ts";
import { deriveColumns, deriveWallets, lineOf, parseLine, presentPerson } from "#people/line.ts";
import { writeDocuments } from "./write-documents.ts";

/**
 * Writes lines in canonical form, and everything that follows from them, one transaction per batch: columns,
 * wallets, documents and owners of wallets. Deletes orphans.
 */
export async function rebuildDocuments(database: Database, onProgress: (people: number) => void): Promise<number> {
  let people = 0;
  for await (const ids of streamKnownIds(database)) {
    await inTransaction(database, async (connection) => {
      await lockPeople(connection);
      await countPeopleChange(connection);
      const wrong = await listWrongParts(connection, ids);
      await updateLines(connection, wrong.lines);
      await updateDerived(connection, wrong.columns);
      const walletIds = [...wrong.wallets.keys()];
      const before = await listWallets(connection, ids);
      await deleteWallets(connection, walletIds);
      await insertWallets(connection, [...wrong.wallets.values()].flat());
      await writeDocuments(connection, ids);
      const addresses = [...before, ...[...wrong.wallets.values()].flat()].map(({ address }) => address);
      await updateWalletOwners(connection, [...new Set(addresses)]);
    });
    people += ids.length;
    onProgress(people);
  }
  await inTransaction(database, async (connection) => {
    await lock(connection, "people");
    await deleteUnlistedOwners(connection);
  });
  return people;
}

/** The right values of lines that are not in canonical form, and of columns and wallets that contradict the lines. */
export type WrongParts = { lines: StoredLine[]; columns: Derived[]; wallets: Map<number, ListedWallet[]> };

export async function listWrongParts(connection: Connection, ids: readonly number[]): Promise<WrongParts> {
  const lines = await listLines(connection, ids);
  const people = lines.map(({ line }) => parseLine(line));
  const canonical = people.map((person) => lineOf(presentPerson(person)));
  const columns = new Map((await listDerived(connection, ids)).map((row) => [row.passport_id, row]));
  const stored = Map.groupBy(await listWallets(connection, ids), (wallet) => wallet.passport_id);
  const isSame = (found: unknown, wanted: unknown) => JSON.stringify(found) === JSON.stringify(wanted);
  const wallets = new Map(people.map(({ passport }) => [passport.passport_id, deriveWallets(passport)]));
  const known = new Set(people.map(({ passport }) => passport.passport_id));
  // Wallets of people who are not stored.
  for (const id of stored.keys()) if (!known.has(id)) wallets.set(id, []);
  return {
    lines: lines.flatMap((stored, index) => {
      const line = canonical[index] ?? stored.line;
      return line === stored.line ? [] : [{ ...stored, line }];
    }),
    columns: people.map(deriveColumns).filter((wanted) => !isSame(columns.get(wanted.passport_id), wanted)),
    wallets: new Map([...wallets].filter(([id, wanted]) => !isSame(sortWallets(stored.get(id) ?? []), wanted))),
  };
}

/** The database may sort in another order. */
const sortWallets = (wallets: readonly ListedWallet[]): ListedWallet[] =>
  wallets.toSorted((a, b) => (a.address < b.address ? -1 : 1));

const BATCH_SIZE = 1_000;

/** The ids of all people with facts or documents, in order, in batches. */
export async function* streamKnownIds(database: Database): AsyncGenerator<number[]> {
  let after = 0;
  for (;;) {
    const ids = await listKnownIdsAfter(database, after, BATCH_SIZE);
    const last = ids.at(-1);
    if (last === undefined) return;
    yield ids;
    after = last;
  }
}
