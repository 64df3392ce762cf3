import type { Connection } from "#core/database/database.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatCount, formatLines, formatPassports } from "#core/terminal/output.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { type ShownRequest, showRequest } from "#holders/manage/operator-decisions.ts";

export async function requireRequest(connection: Connection, requestId: number): Promise<ShownRequest> {
  const request = await showRequest(connection, requestId);
  if (request !== null) return request;
  throw new Failure(`There is no request ${requestId}.`, "`credence requests list --all` lists all that are stored.");
}

export function describeRequest(request: ShownRequest): string {
  const { request_id, action, passport_id, address, state, note, received_at, due_at, others } = request;
  return formatLines(
    `Request ${request_id}: ${action} passport ${passport_id}, ${address === null ? "without proof" : `signed with ${printable(address)}`}.`,
    `Received on ${received_at.toISOString()}; state: ${state}.`,
    request.completed_at !== null && `Completed on ${request.completed_at.toISOString()}.`,
    state === "waiting" && due_at !== null && `The record is hidden, and will be erased on ${due_at.toISOString()}.`,
    request.withdrawn_at !== null && state !== "withdrawn" && "The holder has withdrawn it. `credence work` closes it.",
    request.transitions.length > 0 &&
      `Since then: ${request.transitions.map((entry) => `${entry.state} (${new Date(entry.at).toISOString()})`).join(", ")}.`,
    state === "unverifiable" &&
      `The signature is valid, but the text names another server or was issued with another HOLDER_KEY, or this version does not know it. It is tried again on ${request.retry_at.toISOString()}.`,
    state !== "unverifiable" &&
      request.attempts > 0 &&
      `It has failed ${formatCount(request.attempts, "time")}, and is tried again on ${request.retry_at.toISOString()}. Last error: ${printable(request.last_error ?? "")}`,
    note !== null && `Shown to the holder: ${printable(note)}`,
    others.length > 0 && describeOthers(others),
  );
}

const describeOthers = (others: readonly number[]): string =>
  `Also involved, by a shared wallet: ${formatPassports(others)}. \`credence passport erase --dry-run\` lists effects.`;
