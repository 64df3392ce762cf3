import type { Person } from "@credence/contract/person.ts";
import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { countPeopleChange } from "#list/manage/change-counter.ts";
import { correctStanding } from "#list/manage/corrections.ts";
import { insertCredentials } from "#people/facts/credentials.ts";
import { insertDocuments } from "#people/facts/documents.ts";
import { deleteHolderHides, deleteRestoreQuestions, insertHolderHides } from "#people/facts/hidden-by-holder.ts";
import { insertPassports } from "#people/facts/passports.ts";
import { insertSocials } from "#people/facts/socials.ts";
import type { ContestedWallet } from "#people/facts/wallet-owner-rule.ts";
import { insertWallets, type ListedWallet } from "#people/facts/wallets.ts";
import { deletePeople } from "./delete-people.ts";
import { type Change, findChanges } from "./find-changes.ts";
import { findWalletMoves } from "./find-wallet-moves.ts";
import { type PreparedPerson, passportRow, preparePeople } from "./prepare-person.ts";
import { writeWalletOwners } from "./write-wallet-owners.ts";

export type Saved = {
  added: number;
  changed: number;
  unchanged: number;
  unchangedIds: number[];
  contested: ContestedWallet[];
};

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
  // Compare, and read what the deletion removes.
  const changes = await findChanges(connection, incoming);
  const existing = changes.filter((change) => change.stored !== null);
  const saved = summarize(incoming, changes, existing);
  if (changes.length === 0) return saved;
  await countPeopleChange(connection);
  const moves = await findWalletMoves(connection, changes, existing);
  const changesVisibility = ({ stored, operator }: Change) => (stored?.hidden ?? false) !== operator.hidden;
  await recordHolderHides(connection, changes.filter(changesVisibility));

  // Delete and insert.
  await deletePeople(connection, existing.map(idOf), moves.ids);
  await insertFacts(connection, changes, moves.wallets);
  await insertPreparedDocuments(connection, changes);
  saved.contested = await writeWalletOwners(connection, moves.claims, moves.listedBefore);

  // Correct the standing.
  const unlistedIds = new Set(existing.filter(leavesStanding).map(idOf));
  await correctStanding(connection, [...unlistedIds.union(moves.losingIds)]);
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
  };
}

const leavesStanding = ({ stored, passport, operator }: Change): boolean =>
  stored !== null && !stored.hidden && !stored.merged && (operator.hidden || passport.merged);

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

/** Visible people get the documents they were prepared with. */
async function insertPreparedDocuments(connection: Connection, changes: readonly Change[]): Promise<void> {
  const visible = changes.filter(({ operator }) => !operator.hidden);
  await insertDocuments(
    connection,
    visible.map(({ rows }) => rows.passportDocument),
    visible.map(({ rows }) => rows.credentialDocument),
  );
}
