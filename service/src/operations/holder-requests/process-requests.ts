import { type Database, inTransaction } from "#store/engine/database.ts";
import { lockPeople } from "#store/engine/locks.ts";
import {
  deleteUnverifiedRequest,
  listDueRequests,
  lockOpenRequest,
  type StoredRequest,
} from "#store/holder-requests/requests.ts";
import { insertAudit } from "#store/holders/audit.ts";
import { analyzePeople } from "#store/holders/planner-statistics.ts";
import { advanceRequest } from "./carry-out.ts";
import type { HolderSettings } from "./settings.ts";
import { isAuthentic } from "./verify-stored.ts";

const BATCH_REQUESTS = 100;

export type ProcessedRequests = {
  /** Requests that were taken a step further. */
  advanced: number;
  /** Requests that the holder did not sign. They were deleted. */
  forged: number;
};

/**
 * Processes the requests that wait for a worker, up to a batch. A request that fails stays, and
 * does not stop the others.
 */
export async function processRequests(
  database: Database,
  settings: HolderSettings,
  onFailure: (error: unknown) => void,
): Promise<ProcessedRequests> {
  const processed: ProcessedRequests = { advanced: 0, forged: 0 };
  const verifies = settings.mode !== "off" && settings.key !== null;
  for (const request of await listDueRequests(database, verifies, BATCH_REQUESTS)) {
    try {
      const result = await processRequest(database, request, settings);
      if (result !== null) processed[result] += 1;
    } catch (error) {
      onFailure(error);
    }
  }
  return processed;
}

async function processRequest(
  database: Database,
  request: StoredRequest,
  settings: HolderSettings,
): Promise<keyof ProcessedRequests | null> {
  const { domain, key } = settings;
  const isNew = request.state === "received";
  // Before any lock: the fields that are verified never change.
  if (isNew && (key === null || !isAuthentic(request, { domain, key }))) {
    await deleteUnverifiedRequest(database, request.request_id);
    return "forged";
  }
  const isErased = await inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const current = await lockOpenRequest(connection, request.request_id);
    // Another worker or the operator was faster.
    if (current === null || current.state !== request.state) return null;
    if (isNew) await insertAudit(connection, "request", [current.passport_id], { requestId: current.request_id });
    return advanceRequest(connection, current, settings);
  });
  // The planner's statistics contain values of the erased person.
  if (isErased) await analyzePeople(database);
  return isErased === null ? null : "advanced";
}
