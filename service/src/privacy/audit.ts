import type { Connection } from "#core/database/database.ts";

export type AuditAction =
  | ("hide" | "unhide" | "erase")
  // An import that would have shown people who hid by signature.
  | "keep hidden"
  // Steps of a holder's request.
  | ("request" | "review" | "approve" | "refuse" | "withdraw" | "replace" | "see")
  // Requests without proof that were refused, counted.
  | "unproven"
  // Tombstones that count by passport number only.
  | ("import without key" | "lost key" | "other key");

/** Inserts a row per affected person, in the transaction of the action. */
export async function insertAudit(
  connection: Connection,
  action: AuditAction,
  passportIds: readonly number[],
  { requestId = null }: { requestId?: number | null } = {},
): Promise<void> {
  await connection.query("insert into audit (action, passport_id, request_id) select $1, unnest($2::bigint[]), $3", [
    action,
    passportIds,
    requestId,
  ]);
}

/** Inserts one row with the number of people that an import kept hidden. */
export async function insertKeptHidden(connection: Connection, people: number): Promise<void> {
  await connection.query("insert into audit (action, people) values ('keep hidden', $1)", [people]);
}

/** Inserts one row with the number of people whose tombstones count by id only. */
export async function insertPeopleAudit(
  connection: Connection,
  action: "import without key" | "lost key" | "other key",
  people: number,
): Promise<void> {
  await connection.query("insert into audit (action, people) values ($1, $2)", [action, people]);
}

/**
 * Counts requests that were refused without proof, one row per minute. Whether nobody signed them or
 * no record lists the wallet is not told apart: every role can see that a row was written.
 */
export async function insertUnproven(connection: Connection, requests: number): Promise<void> {
  await connection.query(
    `with counted as (
       update audit set requests = requests + $1
       where action = 'unproven' and at > now() - interval '1 minute' returning at
     )
     insert into audit (action, requests) select 'unproven', $1 where not exists (select from counted)`,
    [requests],
  );
}

export type AuditEntry = {
  at: Date;
  action: AuditAction;
  /** Null for an entry about a number of people or requests. */
  passport_id: number | null;
  people: number | null;
  requests: number | null;
  by_role: string;
  /** The holder's request that the entry belongs to. */
  request_id: number | null;
};

/** Newest first. By audit_at. */
export async function listAudit(connection: Connection, since: Date | null, limit: number): Promise<AuditEntry[]> {
  const { rows } = await connection.query<AuditEntry>(
    `select at, action, passport_id, people, requests, by_role, request_id from audit
     where at >= coalesce($1, '-infinity'::timestamptz) order by at desc, passport_id limit $2`,
    [since, limit],
  );
  return rows;
}
