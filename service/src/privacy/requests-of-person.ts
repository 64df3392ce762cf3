import type { Connection } from "#core/database/database.ts";

// Requests of holders, as far as a hide or an erasure by anyone concerns them.

/** Removes what the sender wrote. */
export const FORGET =
  "address = null, message = null, signature = null, nonce = null, secret_hash = null, last_error = null";

/** The same words for every reason: nobody learns who is stored, or who lists which wallet. */
export const UNLISTED_NOTE = "format('Passport %s does not list this wallet.', passport_id)";

/**
 * Removes the proofs and prepared data of people who are erased, after their wallets are deleted,
 * except the proof of the request that erases them. Also those of their wallets under another number, if no
 * record lists them any more. States stay readable. Open requests end. By holder_request_passport and
 * holder_request_address.
 */
export async function forgetRequestsOf(
  connection: Connection,
  passportIds: readonly number[],
  addresses: readonly string[],
  exceptId: number | null,
): Promise<void> {
  await connection.query(
    `with forgotten as (
       update holder_request as request set ${FORGET},
         state = case when completed_at is null then 'refused' else state end,
         note = case
           when completed_at is not null then null
           when state = 'received' then ${UNLISTED_NOTE}
           else 'The record was erased.' end,
         transitions = case when completed_at is null
           then transitions || jsonb_build_object('state', 'refused', 'at', now()) else transitions end,
         completed_at = coalesce(completed_at, now())
       where request_id in (
         select request_id from holder_request where passport_id = any ($1) and message is not null
         union
         select request_id from holder_request where address = any ($2) and message is not null
           and not exists (select from passport_wallet where passport_wallet.address = holder_request.address)
       ) and request_id is distinct from $3
       returning request_id
     )
     delete from holder_export where request_id in (select request_id from forgotten)`,
    [passportIds, addresses, exceptId],
  );
}

/** An erasure that waits, and hides the person. */
export type OpenErasure = { passport_id: number; request_id: number };

export async function listOpenErasures(connection: Connection, passportIds: readonly number[]): Promise<OpenErasure[]> {
  const { rows } = await connection.query<OpenErasure>(
    `select passport_id, request_id from holder_request
     where passport_id = any ($1) and completed_at is null and message is not null and was_hidden is not null`,
    [passportIds],
  );
  return rows;
}
