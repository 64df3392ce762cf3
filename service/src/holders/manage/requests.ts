import { type Connection, queryColumn, queryValue } from "#core/database/database.ts";
import { listStates } from "#decisions/ledger.ts";
import type { Wish } from "#holders/proof/message.ts";
import { coveredBy, type Facts, NOTES, type State } from "./rules.ts";

/** The proof is null after the person was erased. */
export type StoredRequest = {
  request_id: number;
  /** Its name in decisions. */
  request: string;
  wish: Wish;
  address: string | null;
  message: string | null;
  signature: string | null;
  nonce: string | null;
  state: State;
  note: string | null;
  received_at: Date;
  /** The records that it is about, once a worker has verified it. */
  passport_ids: number[];
  /** The records that the operator agreed to change; null before the decision. */
  approved_for: number[] | null;
  /** Of an erasure that a worker has accepted: the records that it hides, because no decision has ended it. */
  accepted: number[];
  due_at: Date | null;
  is_due: boolean;
  is_postponed: boolean;
  completed_at: Date | null;
  /** How often a worker failed since the last step, why it failed last, and when it tries again. */
  attempts: number;
  last_error: string | null;
  retry_at: Date;
};

export type OpenRequest = StoredRequest & { address: string; message: string; signature: string; nonce: string };

/** After 2, 4, 8 seconds and so on, up to an hour. */
const NEXT_TRY = "now() + make_interval(secs => least(2 ^ least(attempts + 1, 12), 3600))";

/** By decision_request. A decision of another authority accepts nothing here. */
const ACCEPTED = `array(
  select held.passport_id::double precision from decision_in_force as held
  where held.request = holder_request.request and held.action = 'erase' and not held.is_foreign order by 1
)`;

/** The holder may have ended the erasure, in a request that is not decided yet. By holder_request_address. */
const POSTPONED = `exists (
  select from holder_request as later
  where later.address = holder_request.address and later.wish = 'show' and later.completed_at is null
    and later.request_id > holder_request.request_id
)`;

const COLUMNS = `request_id, request, wish, address, message, signature, nonce, state, note, received_at,
  passport_ids::double precision[], approved_for::double precision[], ${ACCEPTED} as accepted, due_at,
  due_at <= now() as is_due, ${POSTPONED} as is_postponed, completed_at, attempts, last_error, greatest(retry_at, received_at) as retry_at`;

async function list(connection: Connection, condition: string, values: unknown[]): Promise<OpenRequest[]> {
  const { rows } = await connection.query<OpenRequest>(
    `select ${COLUMNS} from holder_request where ${condition}`,
    values,
  );
  return rows;
}

/** Requests that no worker has verified yet, oldest first. By holder_request_open. */
export const listNew = (connection: Connection, limit: number): Promise<OpenRequest[]> =>
  list(connection, "completed_at is null and state = 'received' and retry_at <= now() order by request_id limit $1", [
    limit,
  ]);

/** Erasures whose time has come. One that is postponed for 7 days goes to the operator. By holder_request_open. */
export const listDue = (connection: Connection, limit: number): Promise<OpenRequest[]> =>
  list(
    connection,
    `completed_at is null and state = 'waiting' and due_at <= now() and retry_at <= now() and ${ACCEPTED} <> '{}'
       and (not ${POSTPONED} or due_at < now() - interval '7 days')
     order by request_id limit $1`,
    [limit],
  );

/** Locks an open request until the transaction ends. Null if it has been closed or deleted. */
export async function lockOpen(connection: Connection, requestId: number): Promise<OpenRequest | null> {
  const [found] = await list(connection, "request_id = $1 and completed_at is null for update", [requestId]);
  return found ?? null;
}

export async function findRequest(connection: Connection, requestId: number): Promise<StoredRequest | null> {
  const [found] = await list(connection, "request_id = $1", [requestId]);
  return found ?? null;
}

/** Newest first. */
export const listRequests = (
  connection: Connection,
  includesClosed: boolean,
  limit: number,
): Promise<StoredRequest[]> =>
  list(connection, "$1 or completed_at is null order by request_id desc limit $2", [includesClosed, limit]);

/** What is stored about the wallet of a request. Under the caller's lock of people. By person_wallet. */
export async function readFacts(
  connection: Connection,
  { wish, address, accepted }: Pick<OpenRequest, "wish" | "address" | "accepted">,
): Promise<Facts> {
  const { rows: claims } = await connection.query<{ passport_id: number; is_main: boolean; merged: boolean }>(
    `select passport_id, is_main, merged from person_wallet join person using (passport_id)
     where address = $1 order by passport_id`,
    [address],
  );
  const main = claims.filter(({ is_main }) => is_main).map(({ passport_id }) => passport_id);
  const listing = claims.filter(({ merged }) => !merged && main.length === 0).map(({ passport_id }) => passport_id);
  const covered = coveredBy(wish, accepted, { main, listing });
  const others = await queryColumn<number>(
    connection,
    `select distinct passport_id from person_wallet
     where $2 and passport_id <> all ($1) and address in (select address from person_wallet where passport_id = any ($1))
     order by passport_id`,
    [covered, wish === "erase"],
  );
  return { main, listing, others, hidden: await listStates(connection, covered) };
}

/** By the database's clock, as all times of requests. */
export const findTime = (connection: Connection, inMs: number): Promise<Date> =>
  queryValue(connection, "select now() + $1 * interval '1 millisecond'", [inMs]);

/** Sets the new state. A final state completes the request. */
export async function updateState(
  connection: Connection,
  requestId: number,
  update: Pick<StoredRequest, "state" | "note" | "passport_ids"> & { approved_for?: number[]; due_at?: Date | null },
): Promise<void> {
  await connection.query(
    `update holder_request set state = $2, note = $3, passport_ids = $4, approved_for = coalesce($5::bigint[], approved_for),
       due_at = coalesce($6, due_at), completed_at = case when $2 in ('done', 'refused') then now() end,
       attempts = 0, last_error = null, retry_at = default
     where request_id = $1`,
    [requestId, update.state, update.note, update.passport_ids, update.approved_for ?? null, update.due_at ?? null],
  );
}

/** Ends what this wallet asked for before and is not done, but for an erasure that was accepted. */
export async function endEarlier(connection: Connection, { request_id, address }: OpenRequest): Promise<void> {
  await connection.query(
    `update holder_request set state = 'refused', note = $3, completed_at = now()
     where address = $2 and request_id < $1 and completed_at is null and state <> 'waiting' and ${ACCEPTED} = '{}'`,
    [request_id, address, NOTES.later],
  );
}

/** Notes that a request failed, and when it is tried again. */
export async function updateFailed(connection: Connection, requestId: number, error: string): Promise<void> {
  await connection.query(
    `update holder_request set attempts = attempts + 1, last_error = left($2, 1000), retry_at = ${NEXT_TRY}
     where request_id = $1 and completed_at is null`,
    [requestId, error],
  );
}

/** Deletes requests that their holder did not sign. */
export const deleteForged = (connection: Connection, requestIds: readonly number[]): Promise<number[]> =>
  queryColumn(
    connection,
    "delete from holder_request where request_id = any ($1) and state = 'received' returning request_id",
    [requestIds],
  );

/** How long a closed request with its signature is kept, as proof of what the holder asked for. */
const KEPT_DAYS = 90;
/** Closed requests about no record. A flood of wallets that no record has deletes the oldest. */
const KEPT_UNLISTED = 100_000;
/** Far more than holders leave in a few seconds. */
const FLOOD_DEAD_ROWS = 2_000;

/**
 * Refuses what no worker could check for 7 days. Deletes closed requests after 90 days; those that were about
 * no record, and all but the newest ten of a wallet, after a day, or if a flood leaves too many.
 */
export async function tidyRequests(connection: Connection): Promise<void> {
  await connection.query(
    `update holder_request set state = 'refused', note = $1, completed_at = now()
     where state = 'received' and received_at < now() - interval '7 days'`,
    [NOTES.expired],
  );
  await connection.query(
    `delete from holder_request where request_id in (
       select request_id from (
         select request_id, completed_at, passport_ids,
           row_number() over (partition by coalesce(address, request::text) order by request_id desc) as place
         from holder_request where completed_at is not null
       ) as closed
       where completed_at < now() - make_interval(days => $1)
         or completed_at < now() - interval '1 day' and (passport_ids = '{}' or place > 10)
     )`,
    [KEPT_DAYS],
  );
  await connection.query(
    `delete from holder_request where completed_at is not null and passport_ids = '{}' and request_id <= (
       select request_id from holder_request where completed_at is not null and passport_ids = '{}'
       order by request_id desc offset $1 limit 1
     )`,
    [KEPT_UNLISTED],
  );
  // Autovacuum looks once a minute, in which a flood makes the table grow far beyond what it keeps.
  const dead = await queryValue<number>(
    connection,
    "select n_dead_tup::int from pg_stat_user_tables where relid = 'holder_request'::regclass",
  );
  if (dead > FLOOD_DEAD_ROWS) await connection.query("vacuum holder_request");
}

/** Only the demo does, whose requests no later run can verify. */
export async function deleteAllRequests(connection: Connection): Promise<void> {
  await connection.query("delete from holder_request");
}
