import { type Connection, queryColumn } from "#core/database/database.ts";
import type { Abilities } from "#core/process/worker-processes.ts";
import type { HolderAction } from "#holders/proof/message.ts";
import { NOTES } from "#holders/request-notes.ts";
import type { RequestState } from "#holders/request-state.ts";
import { FORGET, UNLISTED_NOTE } from "#privacy/requests-of-person.ts";

/** The proof is null after a refusal without proof, and after the person was erased. */
export type StoredRequest = {
  request_id: number;
  passport_id: number;
  action: HolderAction;
  address: string | null;
  message: string | null;
  signature: string | null;
  nonce: string | null;
  state: RequestState;
  note: string | null;
  received_at: Date;
  /**
   * Whether the operator decides, and the time until an erasure: as a page promised it, and after a
   * worker has accepted the request, what counts. Null: nothing was promised.
   */
  mode: "on" | "review" | null;
  grace_seconds: number | null;
  /** The states after the first, with their times. */
  transitions: { state: RequestState; at: string }[];
  /** The other people whose records the operator agreed to change; null before the decision. */
  approved_for: number[] | null;
  /** Of an erasure: whether the person was hidden before. */
  was_hidden: boolean | null;
  due_at: Date | null;
  withdrawn_at: Date | null;
  completed_at: Date | null;
  /** How often a worker failed since the last step, why it failed last, and when it tries again. */
  attempts: number;
  last_error: string | null;
  retry_at: Date;
};

export type OpenRequest = StoredRequest & { address: string; message: string; signature: string; nonce: string };

/** Another open request about the same record. */
export type OtherRequest = Pick<OpenRequest, "request_id" | "action" | "address" | "state" | "was_hidden">;

/** After 2, 4, 8 seconds and so on, up to an hour. */
const NEXT_TRY = "now() + make_interval(secs => least(2 ^ least(attempts + 1, 12), 3600))";

const COLUMNS = `request_id, passport_id, action, address, message, signature, nonce, state, note, received_at, transitions,
  mode, grace_seconds, approved_for::double precision[], was_hidden, due_at, withdrawn_at, completed_at, attempts, last_error,
  greatest(retry_at, received_at) as retry_at`;

const REFUSE_UNPROVEN = `state = 'refused', completed_at = now(), ${FORGET}, note = ${UNLISTED_NOTE}`;

/**
 * Looks at all requests that no worker has seen. Those whose record does not list the wallet are refused;
 * the others are left to be verified. Both count as seen at once. Returns how many were refused. By
 * holder_request_unseen.
 */
export async function refuseUnlisted(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ refused: number }>(
    `with unseen as (
       select request_id, passport_id, address from holder_request where seen_at is null and state = 'received'
       for update skip locked
     ), listed as (
       select request_id from unseen
       where exists (
         select from passport_wallet as wallet
         where wallet.passport_id = unseen.passport_id and wallet.address = unseen.address
       )
     ), seen as (
       update holder_request set seen_at = now() where request_id in (select request_id from listed)
     ), refused as (
       update holder_request set seen_at = now(), ${REFUSE_UNPROVEN}
       where request_id in (select request_id from unseen except select request_id from listed)
       returning request_id
     )
     select count(*)::int as refused from refused`,
  );
  return rows[0]?.refused ?? 0;
}

/** Refuses new requests, for example without a valid signature, in the same words. Returns those that were open. */
export function refuseUnproven(connection: Connection, requestIds: readonly number[]): Promise<number[]> {
  return queryColumn(
    connection,
    `with unproven as (
       select request_id from holder_request where request_id = any ($1) and state in ('received', 'unverifiable')
       order by request_id for update
     )
     update holder_request set ${REFUSE_UNPROVEN} where request_id in (select request_id from unproven) returning request_id`,
    [requestIds],
  );
}

/** Requests that a worker has seen, and not verified or taken further yet. By holder_request_due. */
export function listNewRequests(connection: Connection): Promise<OpenRequest[]> {
  return listOpen(connection, "state = 'received' and seen_at is not null and attempts = 0", null);
}

/** Other open requests that a worker has to look at again, oldest first. By holder_request_due. */
export function listDueRequests(
  connection: Connection,
  { verifies, erases }: Abilities,
  limit: number,
): Promise<OpenRequest[]> {
  const unverified = verifies ? "(state = 'received' and attempts > 0) or state = 'unverifiable'" : "false";
  const waiting = erases ? "state = 'waiting' and due_at <= now()" : "false";
  const closing = "state not in ('received', 'unverifiable') and withdrawn_at is not null";
  return listOpen(connection, `(${unverified} or ${waiting} or ${closing}) and retry_at <= now()`, limit);
}

async function listOpen(connection: Connection, condition: string, limit: number | null): Promise<OpenRequest[]> {
  const { rows } = await connection.query<OpenRequest>(
    `select ${COLUMNS} from holder_request
     where completed_at is null and (state <> 'review' or withdrawn_at is not null) and ${condition}
     order by request_id limit $1`,
    [limit],
  );
  return rows;
}

/** Notes that a request failed, and when it is tried again. */
export async function updateFailed(connection: Connection, requestId: number, error: string): Promise<void> {
  await connection.query(
    `update holder_request set attempts = attempts + 1, last_error = left($2, 1000), retry_at = ${NEXT_TRY}
     where request_id = $1 and completed_at is null`,
    [requestId, error],
  );
}

/** Locks an open request until the transaction ends. Null if it has been closed or deleted. */
export async function lockOpenRequest(
  connection: Connection,
  requestId: number,
): Promise<(OpenRequest & { now: Date }) | null> {
  const { rows } = await connection.query<OpenRequest & { now: Date }>(
    `select ${COLUMNS}, now() from holder_request where request_id = $1 and completed_at is null for update`,
    [requestId],
  );
  return rows[0] ?? null;
}

/** An open request as it is now; null if it has been closed or deleted. */
export async function findOpenRequest(
  connection: Connection,
  requestId: number,
): Promise<(OpenRequest & { now: Date }) | null> {
  const { rows } = await connection.query<OpenRequest & { now: Date }>(
    `select ${COLUMNS}, now() from holder_request where request_id = $1 and completed_at is null`,
    [requestId],
  );
  return rows[0] ?? null;
}

/** Locks the open requests about a record, oldest first. By holder_request_passport. */
export async function lockOpenRequestsOf(connection: Connection, passportId: number): Promise<OtherRequest[]> {
  const { rows } = await connection.query<OtherRequest>(
    `select request_id, action, address, state, was_hidden from holder_request
     where passport_id = $1 and completed_at is null and message is not null order by request_id for update`,
    [passportId],
  );
  return rows;
}

/** People whose erasure is left to the operator because a backup was restored. */
export const listRestoredIds = (connection: Connection): Promise<number[]> =>
  queryColumn(
    connection,
    "select distinct passport_id from holder_request where state = 'review' and note = $1 order by passport_id",
    [NOTES.restored],
  );

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
  Partial<Pick<StoredRequest, "approved_for" | "was_hidden" | "due_at" | "mode" | "grace_seconds">>;

/** Sets the new state with its time, and the given fields. Only `due_at` can be set to null. A final state completes the request. */
export async function updateRequest(connection: Connection, requestId: number, update: RequestUpdate): Promise<void> {
  await connection.query(
    `update holder_request set state = $2, note = $3, approved_for = coalesce($4::bigint[], approved_for),
       was_hidden = coalesce($5, was_hidden), due_at = case when $7 then $6 else due_at end,
       mode = coalesce($8, mode), grace_seconds = coalesce($9, grace_seconds),
       transitions = transitions || jsonb_build_object('state', $2::text, 'at', now()),
       completed_at = case when $2 in ('done', 'refused', 'withdrawn', 'replaced') then now() end,
       attempts = 0, last_error = null, retry_at = default
     where request_id = $1`,
    [
      requestId,
      update.state,
      update.note,
      update.approved_for ?? null,
      update.was_hidden ?? null,
      update.due_at ?? null,
      update.due_at !== undefined,
      update.mode ?? null,
      update.grace_seconds ?? null,
    ],
  );
}

/** A request that cannot be verified is tried again later, like one that failed. */
export async function updateUnverifiable(connection: Connection, requestId: number, note: string): Promise<void> {
  await connection.query(
    `update holder_request set state = 'unverifiable', note = $2, attempts = attempts + 1, retry_at = ${NEXT_TRY},
       transitions = transitions || case when state = 'unverifiable' then '[]'
         else jsonb_build_array(jsonb_build_object('state', 'unverifiable', 'at', now())) end
     where request_id = $1`,
    [requestId, note],
  );
}

/** Looks at a request again in a minute. */
export async function updatePostponed(connection: Connection, requestId: number): Promise<void> {
  await connection.query("update holder_request set retry_at = now() + interval '1 minute' where request_id = $1", [
    requestId,
  ]);
}

/** Of open erasures of this person: the person stays hidden if they do not take place. */
export async function updateStaysHidden(connection: Connection, passportId: number): Promise<void> {
  await connection.query(
    "update holder_request set was_hidden = true where passport_id = $1 and completed_at is null and message is not null and was_hidden = false",
    [passportId],
  );
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
