import type { Connection } from "#core/database/database.ts";
import { appendDecision } from "#decisions/ledger.ts";
import { closeEndedErasures } from "#decisions/requests-of-person.ts";
import { decide } from "#decisions/settle.ts";
import { parseMessage } from "#holders/proof/message.ts";
import { endEarlier, findTime, type OpenRequest, readFacts, updateState } from "./requests.ts";
import { type Case, coveredBy, type Facts, nextStep, type Step } from "./rules.ts";
import type { HolderSettings } from "./settings.ts";

/** What the rules depend on. The more careful of the signed promise and the settings counts. */
export function caseOf(
  { wish, state, message, approved_for, accepted, is_due, is_postponed }: OpenRequest,
  facts: Facts,
  { mode, optOutKey }: HolderSettings,
): Case {
  return {
    wish,
    state,
    facts,
    isReviewed: mode !== "on" || (parseMessage(message)?.isReviewed ?? true),
    canErase: optOutKey !== null,
    approvedFor: approved_for,
    accepted,
    isDue: is_due,
    isPostponed: is_postponed,
  };
}

/**
 * Takes a request a step further, in the caller's transaction, under its lock of people and of the request.
 * Returns the step; null if nothing happens yet.
 */
export async function advance(
  connection: Connection,
  request: OpenRequest,
  settings: HolderSettings,
  approvedFor?: number[],
): Promise<Step | null> {
  const facts = await readFacts(connection, request);
  const step = nextStep(caseOf({ ...request, approved_for: approvedFor ?? request.approved_for }, facts, settings));
  if (step === null) return null;
  if (request.state === "received") await endEarlier(connection, request);
  const ids = [...coveredBy(request.wish, request.accepted, facts)];
  const begins = step.effect === "erase" && request.accepted.length === 0;
  const due_at = begins ? await dueOf(connection, request, settings) : request.due_at;
  for (const passportId of ids) await applyEffect(connection, request, step, passportId, due_at, settings);
  if (step.effect === "show" || step.effect === "erase") await closeEndedErasures(connection, ids);
  const approval = approvedFor === undefined ? {} : { approved_for: approvedFor };
  const { state, note } = step;
  await updateState(connection, request.request_id, { state, note, passport_ids: ids, due_at, ...approval });
  return step;
}

/** After the longer of the grace period that was promised, and that of this worker. By the database's clock. */
function dueOf(connection: Connection, { message }: OpenRequest, { graceMs }: HolderSettings): Promise<Date> {
  const promisedMs = (parseMessage(message)?.graceSeconds ?? 0) * 1_000;
  return findTime(connection, Math.max(graceMs, promisedMs));
}

async function applyEffect(
  connection: Connection,
  { request, accepted }: OpenRequest,
  { state, effect }: Step,
  passportId: number,
  dueAt: Date | null,
  { optOutKey }: HolderSettings,
): Promise<void> {
  const about = { passportId, request };
  if (state === "review") await appendDecision(connection, { action: "review", by: "worker", ...about });
  if (effect === "hide" || effect === "show") await decide(connection, { action: effect, by: "holder", ...about });
  if (effect === "erase" && accepted.length === 0)
    await decide(connection, { action: "erase", by: "holder", ...about, dueAt });
  if (effect === "erased") await decide(connection, { action: "erased", by: "worker", ...about }, { key: optOutKey });
}
