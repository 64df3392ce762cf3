import type { HolderAction } from "#ownership/message.ts";
import { type Connection, queryColumn, queryValue } from "#store/engine/database.ts";
import type { RequestState } from "./serve-requests.ts";

export type StoredRequest = {
  request_id: number;
  passport_id: number;
  action: HolderAction;
  address: string;
  message: string;
  signature: string;
  nonce: string;
  state: RequestState;
  note: string | null;
  received_at: Date;
  /** The other people whose records the operator agreed to change; null before the decision. */
  approved_for: number[] | null;
  /** Of an erasure: whether the person was hidden before. */
  was_hidden: boolean | null;
  due_at: Date | null;
  withdrawn_at: Date | null;
  completed_at: Date | null;
};

const COLUMNS = `request_id, passport_id, action, address, message, signature, nonce, state, note, received_at,
  approved_for::double precision[], was_hidden, due_at, withdrawn_at, completed_at`;

/**
 * Open requests that a worker has to look at, oldest first. `verifies`: including those whose
 * signature it has not verified. By holder_request_due.
 */
export async function listDueRequests(
  connection: Connection,
  verifies: boolean,
  limit: number,
): Promise<StoredRequest[]> {
  const { rows } = await connection.query<StoredRequest>(
    `select ${COLUMNS} from holder_request
     where completed_at is null and (state = 'received' or state = 'waiting' or withdrawn_at is not null)
       and (state <> 'received' or $1) and (state <> 'waiting' or due_at <= now() or withdrawn_at is not null)
     order by request_id limit $2`,
    [verifies, limit],
  );
  return rows;
}

/** How many requests no worker has looked at. By holder_request_due. */
export function countUnverifiedRequests(connection: Connection): Promise<number> {
  return queryValue(
    connection,
    "select count(*)::int from holder_request where completed_at is null and state = 'received'",
  );
}

/** Locks an open request until the transaction ends. Null if it has been closed or deleted. */
export async function lockOpenRequest(connection: Connection, requestId: number): Promise<StoredRequest | null> {
  const { rows } = await connection.query<StoredRequest>(
    `select ${COLUMNS} from holder_request where request_id = $1 and completed_at is null for update`,
    [requestId],
  );
  return rows[0] ?? null;
}

export async function findRequest(connection: Connection, requestId: number): Promise<StoredRequest | null> {
  const { rows } = await connection.query<StoredRequest>(
    `select ${COLUMNS} from holder_request where request_id = $1`,
    [requestId],
  );
  return rows[0] ?? null;
}

/** Newest first. */
export async function listRequests(
  connection: Connection,
  includesClosed: boolean,
  limit: number,
): Promise<StoredRequest[]> {
  const { rows } = await connection.query<StoredRequest>(
    `select ${COLUMNS} from holder_request where $1 or completed_at is null order by request_id desc limit $2`,
    [includesClosed, limit],
  );
  return rows;
}

export type RequestUpdate = Pick<StoredRequest, "state" | "note"> &
  Partial<Pick<StoredRequest, "approved_for" | "was_hidden" | "due_at">>;

/** Sets the new state, and the given fields. A final state completes the request. */
export async function updateRequest(connection: Connection, requestId: number, update: RequestUpdate): Promise<void> {
  await connection.query(
    `update holder_request set state = $2, note = $3, approved_for = coalesce($4::bigint[], approved_for),
       was_hidden = coalesce($5, was_hidden), due_at = coalesce($6, due_at),
       completed_at = case when $2 in ('done', 'refused', 'withdrawn') then now() end
     where request_id = $1`,
    [
      requestId,
      update.state,
      update.note,
      update.approved_for ?? null,
      update.was_hidden ?? null,
      update.due_at ?? null,
    ],
  );
}

/** Deletes a request whose signature is not valid. */
export async function deleteUnverifiedRequest(connection: Connection, requestId: number): Promise<void> {
  await connection.query("delete from holder_request where request_id = $1 and state = 'received'", [requestId]);
}

/** Deletes all requests of people who are erased, except the request that erases them. */
export async function deleteRequestsOf(
  connection: Connection,
  passportIds: readonly number[],
  exceptId: number | null,
): Promise<void> {
  await connection.query("delete from holder_request where passport_id = any ($1) and request_id is distinct from $2", [
    passportIds,
    exceptId,
  ]);
}

/**
 * Deletes all but the newest closed requests of a person. Nonces stay for an hour, which is longer
 * than they are valid. By holder_request_passport.
 */
export async function deleteSurplusRequests(connection: Connection, passportId: number, kept: number): Promise<void> {
  await connection.query(
    `delete from holder_request where request_id in (
       select request_id from holder_request where passport_id = $1 and completed_at is not null
       order by request_id desc offset $2
     ) and received_at < now() - interval '1 hour'`,
    [passportId, kept],
  );
}

/** Deletes requests with their signatures, that many days after completion. */
export async function deleteOldRequests(connection: Connection, days: number): Promise<void> {
  await connection.query("delete from holder_request where completed_at < now() - make_interval(days => $1)", [days]);
}

export async function insertExport(
  connection: Connection,
  requestId: number,
  body: string,
  keptMs: number,
): Promise<void> {
  await connection.query(
    "insert into holder_export (request_id, body, expires_at) values ($1, $2, now() + make_interval(secs => $3))",
    [requestId, body, keptMs / 1_000],
  );
}

export async function deleteExpiredExports(connection: Connection): Promise<void> {
  await connection.query("delete from holder_export where expires_at <= now()");
}

/** Of these people, those that are hidden because they asked for it with a signature. */
export function listHiddenByHolder(connection: Connection, passportIds: readonly number[]): Promise<number[]> {
  return queryColumn(connection, "select passport_id from holder_hide where passport_id = any ($1)", [passportIds]);
}

export async function insertHolderHide(connection: Connection, passportId: number): Promise<void> {
  await connection.query("insert into holder_hide (passport_id) values ($1) on conflict do nothing", [passportId]);
}

export async function deleteHolderHides(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from holder_hide where passport_id = any ($1)", [passportIds]);
}
