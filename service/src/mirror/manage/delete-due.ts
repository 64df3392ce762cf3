import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople, unlessClaimed } from "#core/database/locks.ts";
import { countAbsent, listDueAbsent } from "#people/facts/mirror-absent.ts";
import { listPassportIdsAfter } from "#people/facts/passports.ts";
import { removePeople } from "#privacy/remove-people.ts";
import { findMirrorOf, forgetSnapshot, type MirrorOf, updateHeldPeople } from "./mirror-of.ts";

const BATCH = 1_000;
/** A mirror that was stale for so long deletes everybody. */
const STALE_DAYS = 30;
const DAY_MS = 86_400_000;

/** When a mirror that stays stale deletes everybody. */
export const deletionTime = ({ expires_at, began_at }: Pick<MirrorOf, "expires_at" | "began_at">): Date =>
  new Date((expires_at ?? began_at).getTime() + STALE_DAYS * DAY_MS);

/**
 * Deletes people on whom the operator has decided, or should have by now. Returns how many. Null:
 * another process works on this mirror.
 */
export const deleteDue = (
  database: Database,
  decision: "accepted" | "waiting",
  optOutKeys: readonly string[],
): Promise<number | null> =>
  unlessClaimed(database, () => deleteClaimed(database, decision === "accepted", optOutKeys), "mirror");

async function deleteClaimed(database: Database, isAccepted: boolean, optOutKeys: readonly string[]): Promise<number> {
  const stored = await findMirrorOf(database);
  if (stored === null) return 0;
  await updateHeldPeople(database, await countAbsent(database));
  // After a take-over, those on whom the operator has not decided are still due.
  const deletesAll = stored.taken_over_at === null && deletionTime(stored) <= stored.now;
  if (deletesAll) await forgetSnapshot(database);
  const list = (connection: Connection): Promise<number[]> =>
    deletesAll ? listPassportIdsAfter(connection, 0, BATCH) : listDueAbsent(connection, isAccepted, BATCH);
  let deleted = 0;
  while ((await list(database)).length > 0) {
    deleted += await inTransaction(database, async (connection) => {
      await lockPeople(connection);
      const ids = await list(connection);
      await removePeople(connection, ids, optOutKeys);
      await updateHeldPeople(connection, await countAbsent(connection));
      return ids.length;
    });
  }
  return deleted;
}
