import { type Connection, queryValue } from "#core/database/database.ts";
import { FORGET } from "#privacy/requests-of-person.ts";
import type { OpenRequest } from "./requests.ts";

/** Far more than holders leave in a few seconds. */
const FLOOD_DEAD_ROWS = 2_000;

/**
 * Deletes closed requests of a wallet about a record: all but the newest ten after a day, all but the
 * newest thousand after an hour, which is longer than a nonce is valid. Prepared data stays for its
 * time. By holder_request_passport.
 */
export async function deleteSurplusRequests(
  connection: Connection,
  { passport_id, address }: Pick<OpenRequest, "passport_id" | "address">,
): Promise<void> {
  await connection.query(
    `delete from holder_request where request_id in (
       select request_id from (
         select request_id, received_at, row_number() over (order by request_id desc) as place from holder_request
         where passport_id = $1 and address = $2 and message is not null and completed_at is not null
       ) as closed
       where (place > 10 and received_at < now() - interval '1 day')
         or (place > 1000 and received_at < now() - interval '1 hour')
     ) and not exists (select from holder_export where holder_export.request_id = holder_request.request_id)`,
    [passport_id, address],
  );
}

/** Refuses requests that no worker could look at for that many days. */
export async function refuseUnseenAfter(connection: Connection, days: number, note: string): Promise<void> {
  await connection.query(
    `update holder_request set state = 'refused', completed_at = now(), note = $2, ${FORGET}
     where seen_at is null and state = 'received' and received_at < now() - make_interval(days => $1)`,
    [days, note],
  );
}

/**
 * Refuses requests that no worker has verified, except those to hide or to see. After a restored backup
 * they may have been carried out before, and something else asked for since.
 */
export async function refuseUnverified(connection: Connection, note: string): Promise<void> {
  await connection.query(
    `update holder_request set state = 'refused', completed_at = now(), note = $1, ${FORGET}
     where completed_at is null and state in ('received', 'unverifiable') and action not in ('hide', 'see')`,
    [note],
  );
}

/** Deletes refusals without proof after a day, and the oldest if there are more than `kept`. */
export async function deleteUnproven(connection: Connection, kept: number): Promise<void> {
  await connection.query(
    `delete from holder_request where state = 'refused' and message is null
       and (completed_at < now() - interval '1 day' or request_id <= (
         select request_id from holder_request where state = 'refused' and message is null
         order by request_id desc offset $1 limit 1
       ))`,
    [kept],
  );
}

/**
 * Frees the space of rows that a flood of requests left. Autovacuum looks once a minute, in which the
 * table would grow far beyond what it keeps.
 */
export async function vacuumAfterFlood(connection: Connection): Promise<void> {
  const dead = await queryValue<number>(
    connection,
    "select n_dead_tup::int from pg_stat_user_tables where relid = 'holder_request'::regclass",
  );
  if (dead > FLOOD_DEAD_ROWS) await connection.query("vacuum holder_request");
}

/** Deletes requests with their signatures, that many days after completion. */
export async function deleteClosedRequests(connection: Connection, days: number): Promise<void> {
  await connection.query(
    `delete from holder_request where completed_at < now() - make_interval(days => $1)
       and (message is not null or state <> 'refused')`,
    [days],
  );
}

export async function deleteExpiredExports(connection: Connection): Promise<void> {
  await connection.query("delete from holder_export where expires_at <= now()");
}

/** Deletes all requests, with prepared data. Only the demo does, whose requests no later run can verify. */
export async function deleteAllRequests(connection: Connection): Promise<void> {
  await connection.query("delete from holder_request");
}
