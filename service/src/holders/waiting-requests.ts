import type { Connection } from "#core/database/database.ts";

/** `ageSeconds`: of the oldest request that waits, by the database's clock; 0 if there is none. */
export type WaitingRequests = {
  requests: number;
  ageSeconds: number;
  unverifiable: number;
  erasures_overdue: number;
  clock_refusals: number;
};

export async function findWaitingRequests(connection: Connection): Promise<WaitingRequests> {
  const { rows } = await connection.query<WaitingRequests>(
    `select requests, coalesce(extract(epoch from now() - oldest_at), 0)::float as "ageSeconds", unverifiable,
       erasures_overdue, clock_refusals
     from waiting_requests()`,
  );
  return rows[0] as WaitingRequests;
}
