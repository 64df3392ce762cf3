import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { appendDecision } from "#decisions/ledger.ts";
import { decide } from "#decisions/settle.ts";
import { advance, caseOf } from "./carry-out.ts";
import { findRequest, lockOpen, type OpenRequest, readFacts, type StoredRequest, updateState } from "./requests.ts";
import { approvalOf } from "./rules.ts";
import type { HolderSettings } from "./settings.ts";

export type ShownRequest = StoredRequest & {
  /** The records that it would change, and of these the ones that would only lose a wallet. */
  changes: number[];
  others: number[];
};

/** `request` is null if no open request has this number. */
export type Decided = { request: StoredRequest | null; refusal: string | null };

export async function showRequest(
  connection: Connection,
  requestId: number,
  settings: HolderSettings,
): Promise<ShownRequest | null> {
  const request = await findRequest(connection, requestId);
  if (request === null) return null;
  if (request.completed_at !== null || request.address === null) return { ...request, changes: [], others: [] };
  const open = request as OpenRequest;
  const facts = await readFacts(connection, open);
  return { ...request, changes: approvalOf(caseOf(open, facts, settings)), others: [...facts.others] };
}

/**
 * Carries out a request that waits for the operator, who has seen that it would change these records. An
 * erasure begins with its grace period.
 */
export function approveRequest(
  database: Database,
  requestId: number,
  seen: readonly number[],
  settings: HolderSettings,
): Promise<Decided> {
  return withOpenRequest(database, requestId, async (connection, request) => {
    if (request.state !== "review") return explainState(request);
    const facts = await readFacts(connection, request);
    const changes = approvalOf(caseOf(request, facts, settings));
    if (changes.some((id) => !seen.includes(id)))
      return "Another record became involved meanwhile. Look at the request again.";
    for (const passportId of changes.filter((id) => !facts.others.includes(id)))
      await appendDecision(connection, { action: "approve", by: "operator", passportId, request: request.request });
    await advance(connection, request, settings, changes);
    return null;
  });
}

/** Refuses a request, also an erasure in its grace period. The holder sees the reason. */
export function refuseRequest(database: Database, requestId: number, reason: string): Promise<Decided> {
  return withOpenRequest(database, requestId, async (connection, request) => {
    // One that no worker can check may be refused: too many of them keep others out.
    if (request.state === "received" && request.attempts === 0) return explainState(request);
    for (const passportId of request.passport_ids)
      await decide(connection, { action: "refuse", by: "operator", passportId, request: request.request });
    const { passport_ids } = request;
    await updateState(connection, requestId, { state: "refused", note: reason, passport_ids });
    return null;
  });
}

const explainState = ({ state, due_at }: OpenRequest): string =>
  state === "received"
    ? "No worker has verified this request yet. Run `credence work`."
    : `This request needs no decision: the record will be erased on ${due_at?.toISOString()}.`;

/** `work` returns why it did nothing. */
function withOpenRequest(
  database: Database,
  requestId: number,
  work: (connection: Connection, request: OpenRequest) => Promise<string | null>,
): Promise<Decided> {
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const request = await lockOpen(connection, requestId);
    if (request === null) return { request: null, refusal: null };
    const refusal = await work(connection, request);
    return { request: await findRequest(connection, requestId), refusal };
  });
}
