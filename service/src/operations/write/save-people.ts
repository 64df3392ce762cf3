import type { Person } from "@credence/contract/person.ts";
import { writeDocuments } from "#operations/documents/write-documents.ts";
import { correctList } from "#operations/standing/correct-standing.ts";
import { type Connection, type Database, inTransaction } from "#store/engine/database.ts";
import { lockPeople } from "#store/engine/locks.ts";
import { countPeopleChange } from "#store/people/change-counter.ts";
import { insertCredentials } from "#store/people/credentials.ts";
import { insertDocuments } from "#store/people/documents.ts";
import { listAbsorbingIds } from "#store/people/merges.ts";
import { insertPassports } from "#store/people/passports.ts";
import { insertSocials } from "#store/people/socials.ts";
import type { HeldState } from "#store/people/stored-states.ts";
import { type ContestedWallet, insertWallets, type ListedWallet } from "#store/people/wallets.ts";
import { deletePeople } from "./delete-people.ts";
import { findReach } from "./find-affected.ts";
import { type Change, findChanges } from "./find-changes.ts";
import { findMoves } from "./find-wallet-moves.ts";
import { type PreparedPerson, preparePeople } from "./prepare-person.ts";
import { noteImportedScores } from "./record-imported-scores.ts";
import { settleWallets } from "./settle-wallet-owners.ts";

export type Saved = {
  added: number;
  changed: number;
  unchanged: number;
  unchangedIds: number[];
  /** Those whose documents were written as they were prepared. */
  presentedIds: ReadonlySet<number>;
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
    presentedIds: new Set(),
    contested: [],
  };
  if (changes.length === 0) return saved;
  await countPeopleChange(connection);

  const before = await findReach(connection, known.filter(wasTied).map(idOf));
  const moves = await findMoves(connection, changes, known);
  await noteImportedScores(connection, known);
  await deletePeople(connection, known.map(idOf), moves.ids);
  await insertFacts(connection, changes, moves.wallets);
  const after = await findReach(connection, await listTiedIds(connection, changes));

  const due = new Set(known.filter(({ held }) => held?.due).map(idOf));
  const reached = before.people.union(after.people).union(due);
  const alone = changes.filter((change) => !reached.has(change.passport_id) && !change.operator.hidden);
  await insertDocuments(
    connection,
    alone.map((change) => change.rows),
  );
  saved.presentedIds = new Set(alone.map(idOf));
  await writeDocuments(connection, [...reached]);
  saved.contested = await settleWallets(connection, moves.claims, [
    ...moves.left,
    ...before.addresses,
    ...after.addresses,
  ]);
  const corrected = new Set(known.filter(isOffTheList).map(idOf)).union(moves.losing).union(before.people);
  await correctList(connection, [...corrected]);
  return saved;
}

const idOf = (change: Change): number => change.passport_id;

const wasTied = ({ held }: Change): boolean => held !== null && (held.absorbs || held.merged_into !== null);

/** Who was on the list, and no longer belongs there. */
const isOffTheList = ({ held, merged, operator }: Change): boolean =>
  held !== null && isListed(held) && !isListed({ merged, ...operator });

const isListed = ({ hidden, merged, merged_into }: Pick<HeldState, "hidden" | "merged" | "merged_into">): boolean =>
  !hidden && !merged && merged_into === null;

/** Those who are now on either side of a merge. */
async function listTiedIds(connection: Connection, changes: readonly Change[]): Promise<number[]> {
  const absorbed = changes.filter((change) => change.operator.merged_into !== null).map(idOf);
  return [...absorbed, ...(await listAbsorbingIds(connection, changes.map(idOf)))];
}

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
