import { type Connection, queryColumn } from "#core/database/database.ts";

// Requests of holders, as far as decisions by anyone concern them.

const FORGET = "address = null, message = null, signature = null, nonce = null, last_error = null";

/**
 * Removes what was signed about people who are erased, or with their wallets, except the request that erases
 * them: its signature is the proof. States stay readable. Open requests end. One scan: closed requests are
 * deleted after 90 days.
 */
export async function forgetRequestsOf(
  connection: Connection,
  passportIds: readonly number[],
  addresses: readonly string[],
  keptRequest: string | null,
): Promise<void> {
  if (passportIds.length + addresses.length === 0) return;
  await connection.query(
    `update holder_request set ${FORGET},
       state = case when completed_at is null then 'refused' else state end,
       note = case when completed_at is null then 'A record with this wallet was erased.' end,
       completed_at = coalesce(completed_at, now())
     where (passport_ids && $1 or address = any ($2)) and message is not null and request is distinct from $3`,
    [passportIds, addresses, keptRequest],
  );
}

/**
 * Closes requests for erasures of these people that a later decision has ended. One of another authority
 * accepts and ends nothing here. By decision_request.
 */
export async function closeEndedErasures(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query(
    `update holder_request as request set state = 'refused', completed_at = now(), note = 'The erasure was cancelled, or a later one took its place. Nothing was deleted.'
     where passport_ids && $1 and completed_at is null
       and exists (
         select from decision where decision.request = request.request and action = 'erase' and not is_foreign
       )
       and not exists (
         select from decision_in_force as held
         where held.request = request.request and held.action = 'erase' and not held.is_foreign
       )`,
    [passportIds],
  );
}

/** Refuses requests that no worker has verified, except those to hide. */
export async function refuseUnverified(connection: Connection, note: string): Promise<void> {
  await connection.query(
    `update holder_request set state = 'refused', completed_at = now(), note = $1
     where completed_at is null and state = 'received' and wish <> 'hide'`,
    [note],
  );
}

/** A holder may have ended an erasure that waits, in a minute that the backup lacks. */
export async function postponeErasures(connection: Connection, graceMs: number): Promise<void> {
  await connection.query(
    `update holder_request set due_at = greatest(due_at, now() + $1 * interval '1 millisecond')
     where due_at is not null and completed_at is null`,
    [graceMs],
  );
}

/** The numbers of requests to erase these people that a worker has accepted. */
export const listOpenErasures = (connection: Connection, passportIds: readonly number[]): Promise<number[]> =>
  queryColumn(
    connection,
    `select request_id from holder_request
     where passport_ids && $1 and completed_at is null
       and exists (select from decision_in_force as held where held.request = holder_request.request and held.action = 'erase')`,
    [passportIds],
  );
