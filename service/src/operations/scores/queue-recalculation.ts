import { writePassportDocuments } from "#operations/documents/write-documents.ts";
import { type Connection, type Database, inTransaction } from "#store/engine/database.ts";
import { lockPeopleShared } from "#store/engine/locks.ts";
import { wakeWorkers } from "#store/engine/worker-channel.ts";
import { countPeopleChange } from "#store/people/change-counter.ts";
import { listPassportIdsAfter } from "#store/people/passports.ts";
import {
  claimIdRange,
  deleteIdRange,
  insertRecalculationOfAll,
  splitIdRange,
} from "#store/scores/recalculation-of-all.ts";
import { deleteSetAside, hasDue, insertDue, listSetAsideAfter } from "#store/scores/recalculation-queue.ts";

/**
 * Queues people, in the caller's transaction and under its lock of people, shared or not; returns those who are stored and were not
 * queued before. From its end on, V1 shows their scores as being calculated: their documents are written anew, except those of
 * `presented` people, whose documents show it already.
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

/** Queues people by id, a slice a transaction; returns how many of them are here and were not queued before. */
export async function queuePeople(database: Database, ids: readonly number[]): Promise<number> {
  let queued = 0;
  for (let at = 0; at < ids.length; at += SLICE) {
    queued += await inTransaction(database, async (connection) => {
      await lockPeopleShared(connection);
      return (await queueRecalculation(connection, ids.slice(at, at + SLICE))).length;
    });
  }
  return queued;
}

/** Queues again whoever was set aside; returns how many. */
export async function queueSetAside(database: Database): Promise<number> {
  let queued = 0;
  let after = 0;
  for (;;) {
    const ids = (await listSetAsideAfter(database, after, SLICE)).map((one) => one.passport_id);
    const last = ids.at(-1);
    if (last === undefined) return queued;
    queued += await queuePeople(database, ids);
    after = last;
  }
}

/** Begins to queue everyone; the workers carry it on. False if that is under way already. */
export function queueEveryone(database: Database): Promise<boolean> {
  return inTransaction(database, async (connection) => {
    await wakeWorkers(connection);
    return insertRecalculationOfAll(connection);
  });
}

/** Everyone at once would make the queue as long as the table of people, and flag everyone for hours. */
const ENOUGH_DUE = 5_000;

/**
 * While everyone is to be recalculated and few are due, queues some more. False if there was nothing to do. Several workers do
 * so at once, each a stretch of ids that one of them has cut off before: queuing costs nearly as much as scoring.
 */
export function queueNextOfAll(database: Database): Promise<boolean> {
  return inTransaction(database, async (connection) => {
    const stretch = await claimIdRange(connection);
    if (stretch === null || (await hasDue(connection, ENOUGH_DUE))) return false;
    if (stretch.up_to === null) {
      const last = (await listPassportIdsAfter(connection, stretch.after, SLICE)).at(-1);
      await (last === undefined ? deleteIdRange(connection, stretch) : splitIdRange(connection, stretch, last));
    } else {
      await lockPeopleShared(connection);
      const ids = await listPassportIdsAfter(connection, stretch.after, SLICE, stretch.up_to);
      await deleteIdRange(connection, stretch);
      await queueRecalculation(connection, ids);
    }
    return true;
  });
}
