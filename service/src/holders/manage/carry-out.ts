import type { Connection } from "#core/database/database.ts";
import { deleteHolderHides, insertHolderHides, listHiddenByHolder } from "#people/facts/hidden-by-holder.ts";
import { type PersonFacts, readPeople } from "#people/read/read-people.ts";
import { preparePeople } from "#people/write/prepare-person.ts";
import { writePeople } from "#people/write/save-people.ts";
import { insertAudit } from "#privacy/audit.ts";
import { eraseWithTombstone } from "#privacy/remove-people.ts";
import { asLine } from "#snapshots/export/export-people.ts";
import { deleteSurplusRequests } from "./delete-requests.ts";
import type { Effect, Ending, Move, Step } from "./request-rules.ts";
import {
  insertExport,
  lockOpenRequest,
  type OpenRequest,
  refuseUnproven,
  updatePostponed,
  updateRequest,
  updateStaysHidden,
  updateUnverifiable,
} from "./requests.ts";
import type { HolderSettings } from "./settings.ts";

/** How long prepared data can be fetched. */
const EXPORT_KEPT_MS = 24 * 3_600_000;

/**
 * Carries out a step, in the caller's transaction, under its lock of people and of the request.
 * Returns whether a person was erased.
 */
export async function carryOut(
  connection: Connection,
  request: OpenRequest,
  step: Step,
  { optOutKey }: Pick<HolderSettings, "optOutKey">,
): Promise<boolean> {
  const { request_id: requestId } = request;
  if (step.kind === "postpone") await updatePostponed(connection, requestId);
  else if (step.kind === "forget") await refuseUnproven(connection, [requestId]);
  else if (step.kind === "try again") {
    for (const ending of step.ends) await end(connection, ending);
    await updateUnverifiable(connection, requestId, step.note);
  } else await move(connection, request, step, optOutKey);
  await deleteSurplusRequests(connection, request);
  return step.kind === "move" && step.effects.includes("erase");
}

async function move(
  connection: Connection,
  request: OpenRequest,
  { kind: _, ends, effects, audit, ...update }: Move,
  optOutKey: string | null,
): Promise<void> {
  const { request_id: requestId, passport_id } = request;
  for (const action of audit) await insertAudit(connection, action, [passport_id], { requestId });
  for (const ending of ends) await end(connection, ending);
  for (const effect of effects) await EFFECTS[effect](connection, request, optOutKey);
  await updateRequest(connection, requestId, update);
}

/** Ends another request. */
async function end(connection: Connection, { requestId, state, restores }: Ending): Promise<void> {
  const request = await lockOpenRequest(connection, requestId);
  if (request === null) return;
  if (restores) await EFFECTS.restore(connection, request, null);
  const action = state === "replaced" ? "replace" : "withdraw";
  await insertAudit(connection, action, [request.passport_id], { requestId });
  await updateRequest(connection, requestId, { state, note: null });
}

const EFFECTS: Readonly<
  Record<Effect, (connection: Connection, request: OpenRequest, optOutKey: string | null) => Promise<void>>
> = {
  /** Undoes the hide of an erasure that does not take place. */
  async restore(connection, request) {
    if (request.was_hidden === false) await show(connection, request);
  },
  /** If the person is hidden already, nothing changes. */
  async hide(connection, { passport_id, request_id }) {
    const person = await requirePerson(connection, passport_id);
    if (person.operator.hidden) return;
    await writeVisibility(connection, person, true);
    await insertHolderHides(connection, [passport_id]);
    await insertAudit(connection, "hide", [passport_id], { requestId: request_id });
  },
  /** Also if the operator shows the person again by an import, or an erasure is withdrawn. */
  async "stay hidden"(connection, { passport_id }) {
    await insertHolderHides(connection, [passport_id], true);
    await updateStaysHidden(connection, passport_id);
  },
  show,
  async "prepare data"(connection, { passport_id, request_id }) {
    const person = await requirePerson(connection, passport_id);
    await insertExport(connection, request_id, await describeAll(connection, person), EXPORT_KEPT_MS);
  },
  async erase(connection, { passport_id, request_id }, optOutKey) {
    if (optOutKey === null) throw new Error("Erasing needs OPT_OUT_KEY.");
    await eraseWithTombstone(connection, passport_id, optOutKey, request_id);
  },
};

/** Ends a hide by signature. If the operator hid the person too, they stay hidden. */
async function show(connection: Connection, { passport_id, request_id }: OpenRequest): Promise<void> {
  const [person] = await readPeople(connection, [passport_id]);
  if (!person?.operator.hidden) return;
  const isByHolder = (await listHiddenByHolder(connection, [passport_id])).length > 0;
  await deleteHolderHides(connection, [passport_id]);
  if (!isByHolder) return;
  await writeVisibility(connection, person, false);
  await insertAudit(connection, "unhide", [passport_id], { requestId: request_id });
}

async function requirePerson(connection: Connection, passportId: number): Promise<PersonFacts> {
  const [person] = await readPeople(connection, [passportId]);
  if (person === undefined) throw new Error(`Passport ${passportId} has wallets, but no record.`);
  return person;
}

async function writeVisibility(connection: Connection, person: PersonFacts, hidden: boolean): Promise<void> {
  await writePeople(connection, preparePeople([{ ...person, operator: { ...person.operator, hidden } }]));
}

/** Everything stored about a person, as JSON: the line of an export. */
async function describeAll(connection: Connection, person: PersonFacts): Promise<string> {
  const hiddenByHolder = await listHiddenByHolder(connection, [person.passport.passport_id]);
  return JSON.stringify(asLine(person, hiddenByHolder.length > 0), null, 2);
}
