import type { Connection } from "#core/database/database.ts";

/** Ages are of the oldest, by the database's clock; 0 if there is none. */
export type WaitingRequests = {
  /** No worker has verified them. */
  requests: number;
  ageSeconds: number;
  /** The operator decides. */
  in_review: number;
  reviewSeconds: number;
  /** Erasures in their grace period, with those that are overdue. */
  erasures_accepted: number;
  erasures_overdue: number;
};

export async function findWaitingRequests(connection: Connection): Promise<WaitingRequests> {
  const { rows } = await connection.query<WaitingRequests>(
    `select requests, coalesce(extract(epoch from now() - oldest_at), 0)::float as "ageSeconds",
       erasures_accepted, erasures_overdue, in_review,
       coalesce(extract(epoch from now() - oldest_in_review_at), 0)::float as "reviewSeconds"
     from waiting_requests()`,
  );
  return rows[0] as WaitingRequests;
}

export const GRACE_TOO_LONG = "ERASE_GRACE is longer than 30 days, and counts as 30 days: set it to 30d or less";
