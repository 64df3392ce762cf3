import type { Connection } from "#core/database/database.ts";
import { NOTES } from "#holders/request-notes.ts";
import {
  deleteClosedRequests,
  deleteExpiredExports,
  deleteUnproven,
  refuseUnseenAfter,
  vacuumAfterFlood,
} from "./delete-requests.ts";

/** How long a request may wait for a worker that can verify it. */
const TRIED_DAYS = 7;
/** How long a closed request with its signature is kept, as proof of what the holder asked for. */
const KEPT_DAYS = 90;
/** Requests without proof whose refusal can be read. A flood deletes the oldest. */
const KEPT_UNPROVEN = 100_000;

export async function deleteOldRequests(connection: Connection): Promise<void> {
  await refuseUnseenAfter(connection, TRIED_DAYS, NOTES.expired);
  await deleteExpiredExports(connection);
  await deleteUnproven(connection, KEPT_UNPROVEN);
  await deleteClosedRequests(connection, KEPT_DAYS);
  await vacuumAfterFlood(connection);
}
