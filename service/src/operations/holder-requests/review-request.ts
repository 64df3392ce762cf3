import { type Connection, type Database, inTransaction } from "#store/engine/database.ts";
import { lockPeople } from "#store/engine/locks.ts";
import { findRequest, lockOpenRequest, type StoredRequest, updateRequest } from "#store/holder-requests/requests.ts";
import { insertAudit } from "#store/holders/audit.ts";
import { advanceRequest, closeUnfulfilled } from "./carry-out.ts";
import { findOthersInvolved } from "./find-others.ts";
import type { HolderSettings } from "./settings.ts";

export type ReviewedRequest = StoredRequest & {
  /** Other people whose records the request could change. */
  others: number[];
};

/** `request` is null if no open request has this number. */
export type Reviewed = { request: StoredRequest | null; refusal: string | null };

export async function showRequest(connection: Connection, requestId: number): Promise<ReviewedRequest | null> {
  const request = await findRequest(connection, requestId);
  if (request === null) return null;
  const others = request.completed_at === null ? await findOthersInvolved(connection, request) : [];
  return { ...request, others };
}

/**
 * Carries out a request that waits for the operator, who has seen that these other people are
 * involved. An erasure begins with its grace period.
 */
export function approveRequest(
  database: Database,
  requestId: number,
  others: readonly number[],
  settings: HolderSettings,
): Promise<Reviewed> {
  return review(database, requestId, async (connection, request) => {
    if (request.state !== "review") return explainState(request);
    if (request.withdrawn_at !== null) return "The holder has withdrawn this request.";
    const approved = { ...request, approved_for: [...others] };
    await updateRequest(connection, requestId, approved);
    await insertAudit(connection, "approve", [request.passport_id], { requestId });
    await advanceRequest(connection, approved, settings);
    return null;
  });
}

/** Refuses a request, also an erasure in its grace period. The holder sees the reason. */
export function refuseRequest(database: Database, requestId: number, reason: string): Promise<Reviewed> {
  return review(database, requestId, async (connection, request) => {
    if (request.state === "received") return explainState(request);
    await closeUnfulfilled(connection, request, "refused", reason);
    return null;
  });
}

function explainState({ state, due_at }: StoredRequest): string {
  if (state === "received") return "No worker has verified this request yet. Run `credence work`.";
  return `This request needs no decision: the record will be erased on ${due_at?.toISOString()}.`;
}

function review(
  database: Database,
  requestId: number,
  decide: (connection: Connection, request: StoredRequest) => Promise<string | null>,
): Promise<Reviewed> {
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const request = await lockOpenRequest(connection, requestId);
    if (request === null) return { request: null, refusal: null };
    const refusal = await decide(connection, request);
    return { request: await findRequest(connection, requestId), refusal };
  });
}
