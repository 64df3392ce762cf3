import type { Connection } from "#store/engine/database.ts";
import { deleteOldUsage as deleteOld, deleteRareMarks } from "#store/usage/usage-reports.ts";

/** How many values of a kind are listed, and stored for days in the past. */
export const MAX_LISTED = 50;
export const MAX_UNKNOWN_KEYS = 100;

/** Deletes usage after the retention, and values of past days that are not among the top ones. */
export async function deleteOldUsage(database: Connection, retentionDays: number): Promise<void> {
  await deleteOld(database, retentionDays);
  await deleteRareMarks(database, { "unknown key": MAX_UNKNOWN_KEYS, other: MAX_LISTED });
}
