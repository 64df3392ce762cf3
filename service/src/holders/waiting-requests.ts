import type { Connection } from "#core/database/database.ts";

/** Ages are of the oldest, by the database's clock; 0 if there is none. */
export type WaitingRequests = {
  /** No worker has looked at them, or their step failed, or a worker left them a minute ago. */
  requests: number;
  ageSeconds: number;
  /** The operator decides. */
  in_review: number;
  reviewSeconds: number;
  unverifiable: number;
  /** Erasures in their grace period, with those that are overdue. */
  erasures_accepted: number;
  erasures_overdue: number;
  clock_refusals: number;
};

export async function findWaitingRequests(connection: Connection): Promise<WaitingRequests> {
  const { rows } = await connection.query<WaitingRequests>(
    `select requests, coalesce(extract(epoch from now() - oldest_at), 0)::float as "ageSeconds", unverifiable,
       erasures_accepted, erasures_overdue, clock_refusals, in_review,
       coalesce(extract(epoch from now() - oldest_in_review_at), 0)::float as "reviewSeconds"
     from waiting_requests()`,
  );
  return rows[0] as WaitingRequests;
}
