import type { Person } from "@credence/contract/person.ts";
import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { countPeopleChange } from "#list/manage/change-counter.ts";
import { correctStanding } from "#list/manage/corrections.ts";
import { deleteDocuments, insertDocuments } from "#people/facts/documents.ts";
import {
  deletePeopleRows,
  insertPeople,
  listHiddenIds,
  listLines,
  listStoredStates,
  type StoredState,
} from "#people/facts/people.ts";
import { type ContestedWallet, writeWalletOwners } from "#people/facts/wallet-owners.ts";
import { deleteWallets, insertWallets, type ListedWallet, listWallets } from "#people/facts/wallets.ts";
import { deriveWallets } from "#people/line.ts";
import { type PreparedPerson, preparePeople } from "./prepare-person.ts";

export type Saved = {
  added: number;
  changed: number;
  unchanged: number;
  unchangedIds: number[];
  contested: ContestedWallet[];
};

/** An incoming person that differs from the stored state, which is null for a new person. */
export type Change = PreparedPerson & { stored: StoredState | null; isShown: boolean };

/** Saves people in one transaction. Of two people with one id, the last wins. */
export async function savePeople(database: Database, people: readonly Person[]): Promise<Saved> {
  const distinct = new Map(people.map((person) => [person.passport.passport_id, person]));
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    return writePeople(connection, preparePeople([...distinct.values()]));
  });
}

/**
 * Writes people with distinct ids, in the caller's transaction and under its exclusive lock of
 * people, because the owner of a wallet depends on every record that lists it. People whose stored
 * state already matches are skipped. Idempotent, and independent of the order of people.
 */
export async function writePeople(connection: Connection, incoming: readonly PreparedPerson[]): Promise<Saved> {
  const changes = await findChanges(connection, incoming);
  const existing = changes.filter(({ stored }) => stored !== null);
  const changedIds = new Set(changes.map(idOf));
  const unchangedIds = incoming.map(idOf).filter((id) => !changedIds.has(id));
  const counts = {
    added: changes.length - existing.length,
    changed: existing.length,
    unchanged: unchangedIds.length,
    unchangedIds,
  };
  if (changes.length === 0) return { ...counts, contested: [] };
  await countPeopleChange(connection);
  const moves = await findWalletMoves(connection, changes, existing);
  await deletePeople(connection, existing.map(idOf), moves.ids);
  await insertPeople(connection, changes);
  await insertWallets(connection, moves.wallets);
  const shown = changes.filter(({ isShown }) => isShown);
  await insertDocuments(
    connection,
    shown.map(({ documents }) => documents.passport),
    shown.map(({ documents }) => documents.credentials),
  );
  const contested = await writeWalletOwners(connection, moves.claims, moves.listedBefore);
  const merged = existing.filter(({ stored, merged }) => merged && !stored?.merged).map(idOf);
  await correctStanding(connection, [...moves.losingIds.union(new Set(merged))]);
  return { ...counts, contested };
}

const idOf = ({ passport_id }: { passport_id: number }): number => passport_id;

/** Deletes facts and documents. With `walletsOf`, only the wallets of these people. */
export async function deletePeople(
  connection: Connection,
  ids: readonly number[],
  walletsOf: readonly number[] = ids,
): Promise<void> {
  if (ids.length === 0) return;
  await deletePeopleRows(connection, ids);
  await deleteWallets(connection, walletsOf);
  await deleteDocuments(connection, ids);
}

/** Of the incoming people, those that differ from their stored state. */
export async function findChanges(connection: Connection, incoming: readonly PreparedPerson[]): Promise<Change[]> {
  const ids = incoming.map(idOf);
  const hidden = new Set(await listHiddenIds(connection, ids));
  const states = new Map((await listStoredStates(connection, ids)).map((state) => [state.passport_id, state]));
  const lines = await listHiddenLines(connection, [...hidden]);
  return incoming.flatMap((person) => {
    const { passport_id } = person;
    const stored = states.get(passport_id) ?? null;
    const isShown = !hidden.has(passport_id);
    if (stored !== null && stored.lost_main === person.lost_main) {
      if (isShown ? hasSameDocuments(person, stored) : lines.get(passport_id) === person.line) return [];
    }
    return [{ ...person, stored, isShown }];
  });
}

/**
 * Equal ETags mean equal facts: see the invariant in present/version.ts. Comparing ETags costs two
 * look-ups a person; comparing lines would read some kilobytes.
 */
const hasSameDocuments = (person: PreparedPerson, stored: StoredState): boolean =>
  stored.etag === person.etag &&
  stored.credentials_etag === person.credentials_etag &&
  stored.presenter === person.presenter &&
  stored.credentials_presenter === person.credentials_presenter;

/** Lines per query: their size is unknown. */
const SLICE = 100;

/** Hidden people have no documents to compare with. */
async function listHiddenLines(connection: Connection, ids: readonly number[]): Promise<Map<number, string>> {
  const lines = new Map<number, string>();
  for (let index = 0; index < ids.length; index += SLICE) {
    for (const { passport_id, line } of await listLines(connection, ids.slice(index, index + SLICE)))
      lines.set(passport_id, line);
  }
  return lines;
}

/** Which wallets change hands, or may. */
async function findWalletMoves(connection: Connection, changes: readonly Change[], existing: readonly Change[]) {
  const stored = existing.length === 0 ? [] : await listWallets(connection, existing.map(idOf));
  const storedOf = Map.groupBy(stored, idOf);
  const moved = changes.flatMap((change) => {
    const wallets = deriveWallets(change.passport);
    const isMoved = change.stored?.merged !== change.merged || !isSame(storedOf.get(change.passport_id) ?? [], wallets);
    return isMoved ? [{ change, wallets }] : [];
  });
  const ids = moved.map(({ change }) => change.passport_id);
  const wallets = moved.flatMap((one) => one.wallets);
  const listed = new Set(wallets.map(nameOf));
  const isMovedId = new Set(ids);
  const before = stored.filter((wallet) => isMovedId.has(wallet.passport_id));
  return {
    /** People whose wallets are written: new people, and those whose wallets or owned wallets changed. */
    ids,
    wallets,
    claims: moved.flatMap((one) => one.wallets.map((wallet) => ({ ...wallet, isShown: one.change.isShown }))),
    /** Addresses that these people listed before. */
    listedBefore: before.map((wallet) => wallet.address),
    /** They lose a wallet. The list shows them without it at once: its holder may be erased next. */
    losingIds: new Set(before.filter((wallet) => !listed.has(nameOf(wallet))).map(idOf)),
  };
}

const nameOf = ({ passport_id, address }: ListedWallet): string => `${passport_id} ${address}`;

const isSame = (before: readonly ListedWallet[], now: readonly ListedWallet[]): boolean => {
  const main = new Map(before.map((wallet) => [wallet.address, wallet.is_main]));
  return before.length === now.length && now.every(({ address, is_main }) => main.get(address) === is_main);
};
