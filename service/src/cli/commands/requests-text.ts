import { Failure } from "#cli/terminal/failure.ts";
import { formatLines, formatPassports } from "#cli/terminal/output.ts";
import { printable } from "#identity/unprintable.ts";
import { type ReviewedRequest, showRequest } from "#operations/holder-requests/review-request.ts";
import type { Connection } from "#store/engine/database.ts";

export async function requireRequest(connection: Connection, requestId: number): Promise<ReviewedRequest> {
  const request = await showRequest(connection, requestId);
  if (request !== null) return request;
  throw new Failure(`There is no request ${requestId}.`, "`credence requests list --all` lists all that are stored.");
}

export function describeRequest(request: ReviewedRequest): string {
  const { request_id, action, passport_id, address, state, note, received_at, due_at, others } = request;
  return formatLines(
    `Request ${request_id}: ${action} passport ${passport_id}, signed with ${printable(address)}.`,
    `Received on ${received_at.toISOString()}; state: ${state}.`,
    request.completed_at !== null && `Completed on ${request.completed_at.toISOString()}.`,
    state === "waiting" && due_at !== null && `The record is hidden, and will be erased on ${due_at.toISOString()}.`,
    request.withdrawn_at !== null && state !== "withdrawn" && "The holder has withdrawn it. `credence work` closes it.",
    note !== null && `Shown to the holder: ${printable(note)}`,
    others.length > 0 && describeOthers(others),
  );
}

const describeOthers = (others: readonly number[]): string =>
  `Also involved, by a shared wallet or a merge: ${formatPassports(others)}. \`credence passport erase --dry-run\` lists effects.`;
