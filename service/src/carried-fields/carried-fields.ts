import type { CarriedFields } from "@credence/contract/carried.ts";
import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { countPeopleChange } from "#list/manage/change-counter.ts";
import { writePassportDocuments } from "#people/documents/write-documents.ts";
import {
  deleteUncarriedValues,
  findCarriedState,
  updateCarriedFields,
  updateDoubtful,
  updatePresentedTo,
} from "#people/facts/carried-fields.ts";
import { listPassportIdsAfter } from "#people/facts/passports.ts";
import { analyzePeople } from "#privacy/planner-statistics.ts";

const BATCH_PEOPLE = 1_000;

/**
 * Changes which fields are carried, and presents all people again. A change that was interrupted is
 * finished first: fields that it dropped must not keep their values.
 */
export async function changeCarriedFields(
  database: Database,
  change: (carried: CarriedFields) => CarriedFields,
  onProgress: (people: number) => void,
): Promise<CarriedFields> {
  for (;;) {
    await presentAll(database, onProgress);
    const changed = await storeChange(database, change);
    if (changed === null) continue;
    await presentAll(database, onProgress);
    return changed;
  }
}

/** Returns the fields that are carried from now on; null while another change is not finished. */
function storeChange(
  database: Database,
  change: (carried: CarriedFields) => CarriedFields,
): Promise<CarriedFields | null> {
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const { carried, presentedTo } = await findCarriedState(connection);
    if (presentedTo !== null) return null;
    const wanted = change(carried);
    await updateDoubtful(connection, false);
    if (wanted.symmetricDifference(carried).size === 0) return carried;
    await updateCarriedFields(connection, wanted);
    return wanted;
  });
}

/**
 * Drops fields that are not in this set, in the caller's transaction and under its lock of people.
 * `presentAll` deletes their values. Returns the dropped fields.
 */
export async function dropOtherFields(connection: Connection, kept: CarriedFields): Promise<CarriedFields> {
  const { carried } = await findCarriedState(connection);
  const dropped = carried.difference(kept);
  // Also if a change was interrupted: all people are presented again.
  if (dropped.size > 0) await updateCarriedFields(connection, carried.intersection(kept));
  return dropped;
}

/** Presents all people who are not presented with the carried fields yet. */
export async function presentAll(database: Database, onProgress: (people: number) => void): Promise<void> {
  let people = 0;
  for (;;) {
    const presented = await presentNext(database);
    if (presented === 0) return;
    people += presented;
    onProgress(people);
  }
}

/**
 * After a change of the carried fields, presents some more people, and deletes their values of other
 * fields. Returns the number of people: 0 if all are presented. Several processes can do it.
 */
export async function presentNext(database: Database): Promise<number> {
  // Most of the time there is nothing to do, and no need for the lock.
  const before = (await findCarriedState(database)).presentedTo;
  if (before === null) return 0;
  // The planner's statistics have sampled values, also those that were dropped.
  if ((await listPassportIdsAfter(database, before, 1)).length === 0) await analyzePeople(database);
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const { carried, presentedTo } = await findCarriedState(connection);
    if (presentedTo === null) return 0;
    const ids = await listPassportIdsAfter(connection, presentedTo, BATCH_PEOPLE);
    await updatePresentedTo(connection, ids.at(-1) ?? null);
    if (ids.length === 0) return 0;
    await countPeopleChange(connection);
    await deleteUncarriedValues(connection, ids, carried);
    await writePassportDocuments(connection, ids);
    return ids.length;
  });
}
