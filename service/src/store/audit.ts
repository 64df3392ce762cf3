import type { Connection } from "./database.ts";

export type AuditAction = "hide" | "unhide" | "erase" | "merge" | "unmerge";

/** One row for each person something was done about, in the transaction that does it. */
export async function insertAudit(
  connection: Connection,
  action: AuditAction,
  passportIds: readonly number[],
  mergedInto: number | null = null,
): Promise<void> {
  await connection.query("insert into audit (action, passport_id, merged_into) select $1, unnest($2::bigint[]), $3", [
    action,
    passportIds,
    mergedInto,
  ]);
}
