import type { Connection } from "./database.ts";

export type AuditAction = "hide" | "unhide" | "erase" | "merge" | "unmerge";

/** One line for what an operator did about one person, in the transaction that does it. */
export async function insertAudit(
  connection: Connection,
  action: AuditAction,
  passportId: number,
  mergedInto: number | null = null,
): Promise<void> {
  await connection.query("insert into audit (action, passport_id, merged_into) values ($1, $2, $3)", [
    action,
    passportId,
    mergedInto,
  ]);
}
