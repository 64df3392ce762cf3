import type { Connection } from "#store/engine/database.ts";

export type AuditAction =
  | ("hide" | "unhide" | "erase" | "merge" | "unmerge")
  // Steps of a holder's request.
  | ("request" | "review" | "approve" | "refuse" | "withdraw" | "see");

/** Inserts a row per affected person, in the transaction of the action. */
export async function insertAudit(
  connection: Connection,
  action: AuditAction,
  passportIds: readonly number[],
  { mergedInto = null, requestId = null }: { mergedInto?: number | null; requestId?: number | null } = {},
): Promise<void> {
  await connection.query(
    "insert into audit (action, passport_id, merged_into, request_id) select $1, unnest($2::bigint[]), $3, $4",
    [action, passportIds, mergedInto, requestId],
  );
}

export type AuditEntry = {
  at: Date;
  action: AuditAction;
  passport_id: number;
  merged_into: number | null;
  by_role: string;
  /** The holder's request that the entry belongs to. */
  request_id: number | null;
};

/** Newest first. By audit_at. */
export async function listAudit(connection: Connection, since: Date | null, limit: number): Promise<AuditEntry[]> {
  const { rows } = await connection.query<AuditEntry>(
    `select at, action, passport_id, merged_into, by_role, request_id from audit
     where at >= coalesce($1, '-infinity'::timestamptz) order by at desc, passport_id limit $2`,
    [since, limit],
  );
  return rows;
}
