import type { Person } from "@credence/contract/person.ts";
import { createRowEncoder } from "#core/database/copy.ts";
import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { countPeopleChange, countRemoval } from "#list/manage/change-counter.ts";
import { correctStanding } from "#list/manage/corrections.ts";
import { writeMergedPassports } from "#people/documents/write-documents.ts";
import { findCarriedFields } from "#people/facts/carried-fields.ts";
import { insertCredentials } from "#people/facts/credentials.ts";
import { encodePassportDocument, insertDocuments } from "#people/facts/documents.ts";
import { deleteHolderHides, deleteRestoreQuestions, insertHolderHides } from "#people/facts/hidden-by-holder.ts";
import { listAbsorbedIds, listAbsorbingIds, listSurvivorIds } from "#people/facts/merges.ts";
import { insertPassports } from "#people/facts/passports.ts";
import { insertSocials } from "#people/facts/socials.ts";
import type { StoredState } from "#people/facts/stored-states.ts";
import type { ContestedWallet } from "#people/facts/wallet-owner-rule.ts";
import { insertWallets, type ListedWallet, listWallets } from "#people/facts/wallets.ts";
import { keepCarried } from "#people/present/carried.ts";
import { presentPassport } from "#people/present/passport.ts";
import { deletePeople } from "./delete-people.ts";
import { type Change, countMergesChanged, findChanges, listHiddenInMerges } from "./find-changes.ts";
import { findWalletMoves } from "./find-wallet-moves.ts";
import { type PreparedPerson, passportRow, preparePeople } from "./prepare-person.ts";
import { writeWalletOwners } from "./write-wallet-owners.ts";

export type Saved = {
  added: number;
  changed: number;
  unchanged: number;
  unchangedIds: number[];
  contested: ContestedWallet[];
  /** Changed people who are hidden and merged into others. */
  hiddenInMerges: number[];
  /** Merges that were made here, and that lines of an import have changed. */
  mergesChanged: number;
};

/** Saves people in one transaction. Of two people with one id, the last wins. */
export async function savePeople(database: Database, people: readonly Person[]): Promise<Saved> {
  const distinct = new Map(people.map((person) => [person.passport.passport_id, person]));
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const carried = await findCarriedFields(connection);
    const incoming = [...distinct.values()].map((person) => ({
      ...person,
      passport: keepCarried(person.passport, carried),
    }));
    return writePeople(connection, preparePeople(incoming));
  });
}

/**
 * Writes people with distinct ids, in the caller's transaction and under its exclusive lock of
 * people, because the owner of a wallet depends on every record that lists it. People whose stored
 * state already matches are skipped. Idempotent, and independent of the order of people.
 */
export async function writePeople(connection: Connection, incoming: readonly PreparedPerson[]): Promise<Saved> {
  // Compare, and read what the deletion removes.
  const changes = await findChanges(connection, incoming);
  const existing = changes.filter((change) => change.stored !== null);
  const saved = summarize(incoming, changes, existing);
  if (changes.length === 0) return saved;
  await countPeopleChange(connection);
  const before = await findAffected(connection, existing.filter(wasInMerge).map(idOf));
  const moves = await findWalletMoves(connection, changes, existing);
  // Survivors lose wallets by an unmerge, and by a hide of a record that was merged into them.
  if (existing.some(isHiddenNow) || moves.losingIds.size > 0 || before.ids.size > 0) await countRemoval(connection);
  const changesVisibility = ({ stored, operator }: Change) => (stored?.hidden ?? false) !== operator.hidden;
  await recordHolderHides(connection, changes.filter(changesVisibility));

  // Delete and insert.
  await deletePeople(connection, existing.map(idOf), moves.ids);
  await insertFacts(connection, changes, moves.wallets);
  const absorbing = await listAbsorbingIds(connection, changes.map(idOf));
  const absorbed = changes.filter(isAbsorbed).map(idOf);
  const after = await findAffected(connection, [...absorbed, ...absorbing]);

  // Present: write the documents. Those of survivors show more than the facts of their person.
  const showMoreIds = new Set(absorbing);
  await insertPreparedDocuments(connection, changes, showMoreIds);
  const affectedIds = before.ids.union(after.ids).difference(new Set(changes.map(idOf)));
  await writeMergedPassports(connection, [...affectedIds.union(showMoreIds)]);

  // Settle wallet owners.
  const addresses = [...moves.listedBefore, ...before.addresses, ...after.addresses];
  saved.contested = await writeWalletOwners(connection, moves.claims, addresses);

  // Correct the standing. A new survivor shows its gained wallets there with the next epoch.
  const unlistedIds = new Set(existing.filter(leavesStanding).map(idOf));
  await correctStanding(connection, [...unlistedIds.union(moves.losingIds).union(before.ids)]);
  return saved;
}

/**
 * People who are shown or hidden by this write are no longer hidden by their signature, unless the
 * incoming record says that they are.
 */
async function recordHolderHides(connection: Connection, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  await deleteHolderHides(connection, changes.map(idOf));
  await deleteRestoreQuestions(connection, changes.filter(({ operator }) => !operator.hidden).map(idOf));
  const byHolder = changes.filter(({ operator }) => operator.hidden && operator.hidden_by === "holder");
  await insertHolderHides(connection, byHolder.map(idOf));
}

const idOf = (change: Change): number => change.passport_id;

function summarize(
  incoming: readonly PreparedPerson[],
  changes: readonly Change[],
  existing: readonly Change[],
): Saved {
  const changedIds = new Set(changes.map(idOf));
  const unchangedIds = incoming.map((person) => person.passport_id).filter((id) => !changedIds.has(id));
  return {
    added: changes.length - existing.length,
    changed: existing.length,
    unchanged: unchangedIds.length,
    unchangedIds,
    contested: [],
    hiddenInMerges: listHiddenInMerges(changes),
    mergesChanged: countMergesChanged(changes),
  };
}

const isHiddenNow = ({ stored, operator }: Change): boolean => operator.hidden && !stored?.hidden;

const wasInMerge = ({ stored }: Change): boolean => stored !== null && (stored.absorbs || stored.merged_into !== null);

const isAbsorbed = ({ operator }: Change): boolean => operator.merged_into !== null;

const leavesStanding = ({ stored, passport, operator }: Change): boolean =>
  stored !== null && isListed(stored) && !isListed({ ...operator, merged: passport.merged });

const isListed = ({ hidden, merged, merged_into }: Pick<StoredState, "hidden" | "merged" | "merged_into">): boolean =>
  !hidden && !merged && merged_into === null;

async function insertFacts(connection: Connection, changes: readonly Change[], wallets: ListedWallet[]): Promise<void> {
  await insertPassports(
    connection,
    changes.map((change) => passportRow(change, change.operator)),
  );
  await insertWallets(connection, wallets);
  await insertSocials(
    connection,
    changes.values().map((change) => change.rows.socials),
  );
  await insertCredentials(
    connection,
    changes.values().map((change) => change.rows.credentials),
  );
}

/**
 * Visible people get the documents they were prepared with; absorbed ones show that they are merged.
 * Survivors get only their credential document here, because their passport document shows more.
 */
async function insertPreparedDocuments(
  connection: Connection,
  changes: readonly Change[],
  showMoreIds: ReadonlySet<number>,
): Promise<void> {
  const visible = changes.filter(({ operator }) => !operator.hidden);
  const unaffected = visible.filter(({ passport_id }) => !showMoreIds.has(passport_id));
  const encode = createRowEncoder();
  const passportDocuments = unaffected.map((change) =>
    isAbsorbed(change) ? encode(encodeMerged(change)) : change.rows.passportDocument,
  );
  const credentialDocuments = visible.map(({ rows }) => rows.credentialDocument);
  await insertDocuments(connection, passportDocuments, credentialDocuments);
}

const encodeMerged = ({ passport_id, passport }: Change): string =>
  encodePassportDocument({ passport_id, ...presentPassport({ ...passport, merged: true }) });

export type Affected = { ids: Set<number>; addresses: Set<string> };

/**
 * The people whose documents, and the wallets whose owners, depend on these people through merges.
 */
export async function findAffected(connection: Connection, ids: readonly number[]): Promise<Affected> {
  if (ids.length === 0) return { ids: new Set(), addresses: new Set() };
  const survivors = await listSurvivorIds(connection, ids);
  const absorbed = await listAbsorbedIds(connection, ids);
  const wallets = await listWallets(connection, [...ids, ...absorbed]);
  return { ids: new Set(survivors), addresses: new Set(wallets.map((wallet) => wallet.address)) };
}
