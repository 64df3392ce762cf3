import { asLine } from "#operations/export/export-people.ts";
import { eraseWithTombstone } from "#operations/holders/erase-person.ts";
import { type PersonFacts, readPeople } from "#operations/people/read-people.ts";
import { explainScores } from "#operations/scores/explain-person.ts";
import type { Connection } from "#store/engine/database.ts";
import {
  deleteSurplusRequests,
  insertExport,
  type RequestUpdate,
  type StoredRequest,
  updateRequest,
} from "#store/holder-requests/requests.ts";
import { insertAudit } from "#store/holders/audit.ts";
import { hideForHolder, restoreVisibility, unhideForHolder } from "./change-visibility.ts";
import { decideRequest } from "./decide.ts";
import type { HolderSettings } from "./settings.ts";

/** How long prepared data can be fetched. */
const EXPORT_KEPT_MS = 24 * 3_600_000;
/** Closed requests that are kept per person; older ones are deleted. */
const KEPT_REQUESTS = 10;

/**
 * Takes a verified request one step further, in the caller's transaction, under its lock of people
 * and of the request. Returns whether a person was erased.
 */
export async function advanceRequest(
  connection: Connection,
  request: StoredRequest,
  settings: HolderSettings,
): Promise<boolean> {
  if (request.withdrawn_at !== null) {
    await closeUnfulfilled(connection, request, "withdrawn", null);
    return false;
  }
  const decision = await decideRequest(connection, request, settings);
  if (decision.next === "refused") await closeUnfulfilled(connection, request, "refused", decision.note);
  if (decision.next === "review") {
    await moveTo(connection, request, { state: "review", note: decision.note });
    await audit(connection, request, "review");
  }
  if (decision.next !== "carry out") return false;
  const [person] = await readPeople(connection, [request.passport_id]);
  if (person === undefined) throw new Error(`Passport ${request.passport_id} has wallets, but no record.`);
  return carryOut(connection, request, person, settings);
}

/** Closes a request that changes nothing, and restores what it has changed so far. */
export async function closeUnfulfilled(
  connection: Connection,
  request: StoredRequest,
  state: "withdrawn" | "refused",
  note: string | null,
): Promise<void> {
  await restoreVisibility(connection, request);
  await audit(connection, request, state === "refused" ? "refuse" : "withdraw");
  await moveTo(connection, request, { state, note });
}

async function carryOut(
  connection: Connection,
  request: StoredRequest,
  person: PersonFacts,
  { graceMs, optOutKey }: HolderSettings,
): Promise<boolean> {
  const done: RequestUpdate = { state: "done", note: null };
  switch (request.action) {
    case "hide":
      await hideForHolder(connection, request, person);
      await moveTo(connection, request, done);
      return false;
    case "unhide":
      await unhideForHolder(connection, request, person);
      await moveTo(connection, request, done);
      return false;
    case "see":
      await insertExport(connection, request.request_id, await describeAll(connection, person), EXPORT_KEPT_MS);
      await audit(connection, request, "see");
      await moveTo(connection, request, done);
      return false;
    case "erase": {
      // A worker takes up a waiting request when its grace period is over.
      if (request.state !== "waiting" || optOutKey === null) {
        await hideForHolder(connection, request, person);
        const due_at = request.due_at ?? new Date(Date.now() + graceMs);
        const was_hidden = request.was_hidden ?? person.operator.hidden;
        await moveTo(connection, request, { state: "waiting", note: null, due_at, was_hidden });
        return false;
      }
      await eraseWithTombstone(connection, request.passport_id, optOutKey, request.request_id);
      await moveTo(connection, request, done);
      return true;
    }
  }
}

/** Everything stored about a person, as JSON: the line of an export, and the changes of the score. */
async function describeAll(connection: Connection, person: PersonFacts): Promise<string> {
  const score_changes = await explainScores(connection, person.passport.passport_id);
  return JSON.stringify({ ...asLine(person), score_changes }, null, 2);
}

async function moveTo(connection: Connection, request: StoredRequest, update: RequestUpdate): Promise<void> {
  await updateRequest(connection, request.request_id, update);
  await deleteSurplusRequests(connection, request.passport_id, KEPT_REQUESTS);
}

const audit = (
  connection: Connection,
  { passport_id, request_id }: StoredRequest,
  action: "review" | "refuse" | "withdraw" | "see",
): Promise<void> => insertAudit(connection, action, [passport_id], { requestId: request_id });
