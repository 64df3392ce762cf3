import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeopleShared } from "#core/database/locks.ts";
import { wakeWorkers } from "#core/database/notices.ts";
import { countPeopleChange } from "#list/manage/change-counter.ts";
import { writePassportDocuments } from "#people/documents/write-documents.ts";
import { listPassportIdsAfter } from "#people/facts/passports.ts";
import { claimIdRange, deleteIdRange, insertRecalculationOfAll, splitIdRange } from "./recalculation-of-all.ts";
import { deleteSetAside, hasDue, insertDue, listSetAsideAfter } from "./recalculation-queue.ts";

/**
 * Queues people in the caller's transaction and under its lock of people, shared or exclusive.
 * Returns the ids that are stored and were not queued before. Their documents are written again and
 * show `calculating_score`; those of `presented` people show it already.
 */
export async function queueRecalculation(
  connection: Connection,
  ids: readonly number[],
  presented: ReadonlySet<number> = new Set(),
): Promise<number[]> {
  const queued = await insertDue(connection, ids);
  if (queued.length === 0) return queued;
  await deleteSetAside(connection, queued);
  await writePassportDocuments(
    connection,
    queued.filter((id) => !presented.has(id)),
  );
  await countPeopleChange(connection);
  await wakeWorkers(connection);
  return queued;
}

const SLICE = 1_000;

/**
 * Queues people, one transaction per slice. Returns how many are stored and were not queued before.
 */
export async function queuePeople(database: Database, ids: readonly number[]): Promise<number> {
  let queued = 0;
  for (let index = 0; index < ids.length; index += SLICE) {
    queued += await inTransaction(database, async (connection) => {
      await lockPeopleShared(connection);
      return (await queueRecalculation(connection, ids.slice(index, index + SLICE))).length;
    });
  }
  return queued;
}

/** Queues all people that were set aside, and returns their number. */
export async function queueSetAside(database: Database): Promise<number> {
  let queued = 0;
  let after = 0;
  for (;;) {
    const ids = (await listSetAsideAfter(database, after, SLICE)).map((person) => person.passport_id);
    const last = ids.at(-1);
    if (last === undefined) return queued;
    queued += await queuePeople(database, ids);
    after = last;
  }
}

/**
 * Starts a recalculation of all people, which workers continue. Returns false if one is running
 * already.
 */
export function queueAll(database: Database): Promise<boolean> {
  return inTransaction(database, async (connection) => {
    await wakeWorkers(connection);
    return insertRecalculationOfAll(connection);
  });
}

/**
 * With all people queued at once, the queue would be as long as the table, and V1 would flag all of
 * them for hours.
 */
const MAX_DUE = 5_000;

/**
 * Queues the next people of a recalculation of all, if few are due. Returns false if there was
 * nothing to do. Several workers do this at once, each with its own range of ids, as queuing costs
 * nearly as much as scoring.
 */
export function queueNextOfAll(database: Database): Promise<boolean> {
  return inTransaction(database, async (connection) => {
    const range = await claimIdRange(connection);
    if (range === null || (await hasDue(connection, MAX_DUE))) return false;
    if (range.up_to === null) {
      const last = (await listPassportIdsAfter(connection, range.after, SLICE)).at(-1);
      await (last === undefined ? deleteIdRange(connection, range) : splitIdRange(connection, range, last));
    } else {
      await lockPeopleShared(connection);
      const ids = await listPassportIdsAfter(connection, range.after, SLICE, range.up_to);
      await deleteIdRange(connection, range);
      await queueRecalculation(connection, ids);
    }
    return true;
  });
}
