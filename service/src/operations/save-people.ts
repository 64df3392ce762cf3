import type { Person } from "@credence/contract/person.ts";
import { insertCredentials } from "#store/credentials.ts";
import { type Connection, type Database, inTransaction } from "#store/database.ts";
import { insertDocuments } from "#store/documents.ts";
import { lockPeople } from "#store/locks.ts";
import { listAbsorbingIds } from "#store/merges.ts";
import { insertPassports } from "#store/passports.ts";
import { countPeopleChange } from "#store/people-changes.ts";
import { insertSocials } from "#store/socials.ts";
import { type ContestedWallet, insertWallets, type ListedWallet, listWallets } from "#store/wallets.ts";
import { deletePeople } from "./erase-people.ts";
import { type Change, findChanges } from "./find-changes.ts";
import { findReach } from "./find-reach.ts";
import { type PreparedPerson, preparePeople } from "./prepare-person.ts";
import { groupByPerson } from "./read-people.ts";
import { settleWallets } from "./settle-wallets.ts";
import { writeDocuments } from "./write-documents.ts";

export type Saved = {
  added: number;
  changed: number;
  unchanged: number;
  unchangedIds: number[];
  contested: ContestedWallet[];
};

/** Saves people, in one transaction. Of a person given twice, the last counts. */
export async function savePeople(database: Database, people: readonly Person[]): Promise<Saved> {
  const given = [...new Map(people.map((person) => [person.passport.passport_id, person])).values()];
  const prepared = preparePeople(given);
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    return writePeople(connection, prepared);
  });
}

/**
 * Writes people, each given once: their facts, whom wallets lead to, and every document that changes by it, in the caller's
 * transaction and under its lock of people, as whom a wallet leads to depends on every record that lists it. Who is held as given is
 * not touched. Writing the same people again, or in another order, ends in the same state.
 */
export async function writePeople(connection: Connection, given: readonly PreparedPerson[]): Promise<Saved> {
  const changes = await findChanges(connection, given);
  const known = changes.filter((change) => change.held !== null);
  const changedIds = new Set(changes.map(idOf));
  const unchangedIds = given.map((one) => one.passport_id).filter((id) => !changedIds.has(id));
  const saved: Saved = {
    added: changes.length - known.length,
    changed: known.length,
    unchanged: unchangedIds.length,
    unchangedIds,
    contested: [],
  };
  if (changes.length === 0) return saved;
  await countPeopleChange(connection);

  const before = await findReach(connection, known.filter(wasTied).map(idOf));
  const moves = await findMoves(connection, changes, known);
  await deletePeople(connection, known.map(idOf), moves.ids);
  await insertFacts(connection, changes, moves.wallets);
  const after = await findReach(connection, await listTiedIds(connection, changes));

  const reached = before.people.union(after.people);
  const alone = changes.filter((change) => !reached.has(change.passport_id) && !change.operator.hidden);
  await insertDocuments(
    connection,
    alone.map((change) => change.rows),
  );
  await writeDocuments(connection, [...reached]);
  saved.contested = await settleWallets(connection, moves.claims, [
    ...moves.left,
    ...before.addresses,
    ...after.addresses,
  ]);
  return saved;
}

const idOf = (change: Change): number => change.passport_id;

const wasTied = ({ held }: Change): boolean => held !== null && (held.absorbs || held.merged_into !== null);

/** Those who are now on either side of a merge. */
async function listTiedIds(connection: Connection, changes: readonly Change[]): Promise<number[]> {
  const absorbed = changes.filter((change) => change.operator.merged_into !== null).map(idOf);
  return [...absorbed, ...(await listAbsorbingIds(connection, changes.map(idOf)))];
}

/** Whose wallets are to be written: all new people's, and those of others only if they list other wallets or merged otherwise. */
async function findMoves(connection: Connection, changes: readonly Change[], known: readonly Change[]) {
  const listedBefore = known.length === 0 ? [] : await listWallets(connection, known.map(idOf));
  const before = groupByPerson(listedBefore);
  const moved = changes.filter((change) => isMoved(change, before(change.passport_id)));
  const ids = new Set(moved.map(idOf));
  const wallets = moved.flatMap(listedWallets);
  const merged = new Set(moved.filter((change) => change.merged || change.operator.merged_into !== null).map(idOf));
  return {
    ids: [...ids],
    wallets,
    claims: wallets.map(({ address, passport_id }) => ({ address, passport_id, merged: merged.has(passport_id) })),
    left: listedBefore.filter((wallet) => ids.has(wallet.passport_id)).map((wallet) => wallet.address),
  };
}

function isMoved(change: Change, before: readonly ListedWallet[]): boolean {
  const { held, merged, operator } = change;
  if (held === null || held.merged !== merged || held.merged_into !== operator.merged_into) return true;
  const now = listedWallets(change);
  return (
    now.length !== before.length ||
    now.some(({ position, address }, at) => before[at]?.position !== position || before[at]?.address !== address)
  );
}

const listedWallets = ({ passport_id, wallets }: Change): ListedWallet[] =>
  wallets.flatMap((address, position) => (address === null ? [] : [{ passport_id, position, address }]));

async function insertFacts(connection: Connection, changes: readonly Change[], wallets: ListedWallet[]): Promise<void> {
  await insertPassports(
    connection,
    changes.map(({ rows, operator }) => ({ begun: rows.passport, operator })),
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
