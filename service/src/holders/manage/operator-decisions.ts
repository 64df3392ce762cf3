import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { insertAudit } from "#privacy/audit.ts";
import { carryOut } from "./carry-out.ts";
import { findOthersInvolved, readFacts } from "./read-facts.ts";
import { approvalOf, nextStep, refusedStep, type Step } from "./request-rules.ts";
import { findRequest, lockOpenRequest, type OpenRequest, type StoredRequest } from "./requests.ts";
import type { HolderSettings } from "./settings.ts";

export type ShownRequest = StoredRequest & {
  /** Other people whose records the request could change. */
  others: number[];
};

/** `request` is null if no open request has this number. */
export type Decided = { request: StoredRequest | null; refusal: string | null };

export async function showRequest(connection: Connection, requestId: number): Promise<ShownRequest | null> {
  const request = await findRequest(connection, requestId);
  if (request === null) return null;
  const { address } = request;
  const isOpen = request.completed_at === null && address !== null;
  return { ...request, others: isOpen ? await findOthersInvolved(connection, { ...request, address }) : [] };
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
): Promise<Decided> {
  return withOpenRequest(database, requestId, settings, async (connection, request) => {
    if (request.state !== "review") return explainState(request);
    if (request.withdrawn_at !== null) return "The holder has withdrawn this request.";
    const facts = await readFacts(connection, request);
    const approved = { ...request, approved_for: approvalOf(request, facts, others) };
    await insertAudit(connection, "approve", [request.passport_id], { requestId });
    const step = nextStep(approved, "valid", facts, settings, request.now);
    return step.kind === "move" ? { ...step, approved_for: approved.approved_for } : step;
  });
}

/** Refuses a request, also an erasure in its grace period. The holder sees the reason. */
export function refuseRequest(database: Database, requestId: number, reason: string): Promise<Decided> {
  return withOpenRequest(database, requestId, { optOutKey: null }, async (_connection, request) =>
    request.state === "received" ? explainState(request) : refusedStep(reason),
  );
}

function explainState({ state, due_at }: OpenRequest): string {
  if (state === "received") return "No worker has verified this request yet. Run `credence work`.";
  if (state === "unverifiable") {
    return "No worker could verify that the holder signed this request for this server. Set PUBLIC_URL and HOLDER_KEY of the workers as on the serving nodes, or refuse it.";
  }
  return `This request needs no decision: the record will be erased on ${due_at?.toISOString()}.`;
}

/** `plan` returns the step, or why there is none. */
function withOpenRequest(
  database: Database,
  requestId: number,
  settings: Pick<HolderSettings, "optOutKey">,
  plan: (connection: Connection, request: OpenRequest & { now: Date }) => Promise<Step | string>,
): Promise<Decided> {
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const request = await lockOpenRequest(connection, requestId);
    if (request === null) return { request: null, refusal: null };
    const step = await plan(connection, request);
    if (typeof step === "string") return { request, refusal: step };
    await carryOut(connection, request, step, settings);
    return { request: await findRequest(connection, requestId), refusal: null };
  });
}
