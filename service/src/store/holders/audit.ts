import type { Connection } from "#store/engine/database.ts";

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

export type AuditEntry = {
  at: Date;
  action: AuditAction;
  passport_id: number;
  merged_into: number | null;
  by_role: string;
};

/** The newest first, from a time on if one is given. By audit_at. */
export async function listAudit(connection: Connection, since: Date | null, limit: number): Promise<AuditEntry[]> {
  const { rows } = await connection.query<AuditEntry>(
    `select at, action, passport_id, merged_into, by_role from audit
     where at >= coalesce($1, '-infinity'::timestamptz) order by at desc, passport_id limit $2`,
    [since, limit],
  );
  return rows;
}
