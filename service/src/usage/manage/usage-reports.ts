import { type Connection, queryColumn, queryValue } from "#core/database/database.ts";
import { ANONYMOUS, type MarkKind, UNKNOWN_KEY, type UsageStatus } from "#usage/record-usage.ts";

// By the primary keys, which begin with the day. Sums are doubles: they stay below 2^53.

/** SQL: a count of V1, and not of a page. */
const IS_V1 = "endpoint like '/api/v1/%'";
/** SQL: the current day. */
export const TODAY = "(now() at time zone 'UTC')::date";

export type UsageGroup = {
  name: string;
  requests: number;
  last_at: Date;
  statuses: Partial<Record<UsageStatus, number>>;
};

/**
 * Requests since a day, grouped by a column: days in order, other groups by their requests. Only the
 * groups by endpoint contain pages: the others are about V1.
 */
export async function listUsage(
  connection: Connection,
  column: "client" | "endpoint" | "day" | "status",
  since: string,
): Promise<UsageGroup[]> {
  const { rows } = await connection.query<UsageGroup>(
    `select name, sum(requests)::double precision as requests, max(last_at) as last_at, json_object_agg(status, requests) as statuses
     from (
       select ${column}::text as name, status, sum(requests)::double precision as requests, max(last_at) as last_at
       from usage_count where day >= $1 ${column === "endpoint" ? "" : `and ${IS_V1}`} group by 1, 2
     ) as by_status
     group by name order by ${column === "day" ? "name" : "2 desc, name"}`,
    [since],
  );
  return rows;
}

export type MarkedUsage = { name: string; requests: number; first_day: string; last_at: Date };

/** The most frequent values of a kind since a day. */
export async function listMarks(
  connection: Connection,
  kind: MarkKind,
  since: string,
  limit: number,
): Promise<MarkedUsage[]> {
  const { rows } = await connection.query<MarkedUsage>(
    `select value as name, sum(requests)::double precision as requests, min(day)::text as first_day, max(last_at) as last_at
     from usage_mark where day >= $1 and kind = $2 group by value order by 2 desc, value limit $3`,
    [since, kind, limit],
  );
  return rows;
}

/** Like `listMarks`, for unknown keys that have not been adopted. The name is the SHA-256. */
export async function listUnknownKeys(connection: Connection, since: string, limit: number): Promise<MarkedUsage[]> {
  const { rows } = await connection.query<MarkedUsage>(
    `select value as name, sum(requests)::double precision as requests, min(day)::text as first_day, max(last_at) as last_at
     from usage_mark
     where day >= $1 and kind = 'unknown key' and not exists (select from api_key where hash = decode(value, 'hex'))
     group by value order by 2 desc, value limit $2`,
    [since, limit],
  );
  return rows;
}

/** The hashes of unknown keys that begin with a prefix, at most two. */
export function listUnknownKeyHashes(connection: Connection, prefix: string): Promise<string[]> {
  return queryColumn(
    connection,
    "select distinct value from usage_mark where kind = 'unknown key' and starts_with(value, $1) limit 2",
    [prefix],
  );
}

export type Caller = {
  client: string;
  /** Null for clients without a stored key. */
  label: string | null;
  contact: string | null;
  revoked_at: Date | null;
  expires_at: Date | null;
  last_at: Date;
  requests: number;
  /** Requests of the last seven days, including today, and of the seven days before. */
  last_week: number;
  week_before: number;
};

/** The clients with requests to V1 since a day, by their requests. */
export async function listCallers(connection: Connection, since: string): Promise<Caller[]> {
  const { rows } = await connection.query<Caller>(
    `select client, label, contact, revoked_at, expires_at, last_at, requests, last_week, week_before
     from (
       select client, max(last_at) as last_at,
         coalesce(sum(requests) filter (where day >= $1), 0)::double precision as requests,
         coalesce(sum(requests) filter (where day > ${TODAY} - 7), 0)::double precision as last_week,
         coalesce(sum(requests) filter (where day > ${TODAY} - 14 and day <= ${TODAY} - 7), 0)::double precision as week_before
       from usage_count where ${IS_V1} and day >= least($1::date, ${TODAY} - 13) group by client
     ) as callers left join api_key on key_id = client
     where requests > 0 order by requests desc, client`,
    [since],
  );
  return rows;
}

/** The requests of a client in the last days, with all statuses. */
export async function countRequestsOf(connection: Connection, client: string, days: number): Promise<number> {
  return queryValue<number>(
    connection,
    `select coalesce(sum(requests), 0)::double precision as requests
     from usage_count where client = $1 and day > ${TODAY} - $2::integer`,
    [client, days],
  );
}

export type RecentCallers = { clients: number; requests: number };

/** Clients of V1 and their requests in the last days; null if this role may not read usage. */
export async function countCallers(connection: Connection, days: number): Promise<RecentCallers | null> {
  if (!(await mayReadUsage(connection))) return null;
  const { rows } = await connection.query<RecentCallers>(
    `select count(distinct client)::integer as clients, coalesce(sum(requests), 0)::double precision as requests
     from usage_count where ${IS_V1} and day > ${TODAY} - $1::integer`,
    [days],
  );
  return rows[0] ?? null;
}

export type UnknownKeyUse = { refused: number; accepted: number };

/** Requests with unknown keys in the last days; null if this role may not read usage. */
export async function findUnknownKeyUse(connection: Connection, days: number): Promise<UnknownKeyUse | null> {
  if (!(await mayReadUsage(connection))) return null;
  const { rows } = await connection.query<UnknownKeyUse>(
    `select coalesce(sum(requests) filter (where status = '401'), 0)::double precision as refused,
       coalesce(sum(requests) filter (where status <> '401'), 0)::double precision as accepted
     from usage_count where client = 'unknown key' and day > ${TODAY} - $1::integer`,
    [days],
  );
  return rows[0] ?? null;
}

/** The most frequent paths of the last days; null if this role may not read usage. */
export async function findRecentPaths(connection: Connection, days: number): Promise<MarkedUsage[] | null> {
  if (!(await mayReadUsage(connection))) return null;
  const since = await queryValue<string>(connection, `select (${TODAY} - $1::integer + 1)::text`, [days]);
  return listMarks(connection, "path", since, MAX_PATHS);
}

const MAX_PATHS = 500;
const MAX_REFUSED_CLIENTS = 5;

/** The keys with most refused requests for the list or credentials; null if this role may not read usage. */
export async function findRefusedClients(
  connection: Connection,
  days: number,
): Promise<{ client: string; requests: number }[] | null> {
  if (!(await mayReadUsage(connection))) return null;
  const { rows } = await connection.query<{ client: string; requests: number }>(
    `select client, sum(requests)::double precision as requests from usage_count
     where day > ${TODAY} - $1::integer and status = '4xx'
       and endpoint in ('/api/v1/passports', '/api/v1/passport_credentials')
       and client not in ($2, $3)
     group by client order by sum(requests) desc, client limit $4`,
    [days, ANONYMOUS, UNKNOWN_KEY, MAX_REFUSED_CLIENTS],
  );
  return rows;
}

const mayReadUsage = (connection: Connection): Promise<boolean> =>
  queryValue<boolean>(connection, "select has_table_privilege('usage_count', 'select')");

/** How many values of a kind are listed, and stored for days in the past. */
export const MAX_LISTED_MARKS = 50;
export const MAX_LISTED_UNKNOWN_KEYS = 100;
