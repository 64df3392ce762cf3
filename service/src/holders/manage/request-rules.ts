import type { HolderAction } from "#holders/proof/message.ts";
import { NOTES } from "#holders/request-notes.ts";
import type { AuditAction } from "#privacy/audit.ts";
import { storedTerms, termsOf } from "./request-terms.ts";
import type { OpenRequest, OtherRequest, RequestUpdate } from "./requests.ts";
import type { HolderSettings } from "./settings.ts";

// All rules about requests of holders. `read-facts.ts` reads what they depend on, `carry-out.ts`
// carries out what they decide, `operator-decisions.ts` is for the operator.
//
// Requests whose signature is not valid never get here: a worker refuses and forgets them, in the
// same words as those whose record does not list the wallet. Most of the latter are refused before,
// in one statement.
//
// | From                    | If                                                | To                     |
// |-------------------------|---------------------------------------------------|------------------------|
// | received, unverifiable  | the record does not list the wallet               | refused, and forgotten |
// | any open state          | withdrawn with its code                           | withdrawn              |
// | received, unverifiable  | signed for another server or key, and settings differ or changed | unverifiable; refused after 7 days |
// | received, unverifiable  | a clock was wrong                                 | refused                |
// | waiting                 | the wallet that asked is not the main one any more | review, and stays hidden |
// | review                  | the record does not list the wallet any more      | refused                |
// | any other open state    | see or erase, and not by the main wallet          | refused                |
// | received, unverifiable  | withdraw                                          | done; the requests it ends: withdrawn |
// | any open state          | show, and the operator hid the record             | refused                |
// | any open state          | show, and an erasure waits that it does not end   | refused                |
// | any open state          | it could change other records than those approved | review                 |
// | received, unverifiable  | HOLDER_REQUESTS is not on, here or as promised; erase without OPT_OUT_KEY | review |
// | review                  | an erasure that waited, approved with another main wallet | waiting          |
// | received, unverifiable, review | hide, show, see                            | done                   |
// | received, unverifiable, review | erase                                      | waiting                |
// | waiting                 | the grace period is over, and a request to withdraw or show is not verified yet | waiting; review after 7 days, and stays hidden |
// | waiting                 | the grace period is over                          | done: erased           |
// | review, waiting, unverifiable | the operator refuses                        | refused                |
// | received, unverifiable  | a restored backup; not hide, see                  | refused, and forgotten |
// | review, waiting         | erase, a restored backup, and it ended, disappeared or went to review after it | review |
// | review, waiting         | erase, a restored backup, and it was waiting      | waiting, for the whole grace period |
// | any open state          | a later request ends it (REPLACES)                | replaced               |
//
// A request that ends without being carried out restores what it changed. A failed step changes
// nothing and is tried again.

/** `clock`: the time of issue and the time of receipt are too far apart. */
export type Proof = "valid" | "unverifiable" | "clock";

export type Facts = {
  /** How the record lists the wallet. */
  listing: "main" | "further" | null;
  visibility: "shown" | "hidden by holder" | "hidden by operator";
  /** Other people whose records the request could change. */
  others: readonly number[];
  /** The main wallet of the record. */
  main: string | null;
  /** Other open requests about the record. */
  open: readonly OtherRequest[];
};

/** What happens to the record, in this order. */
export type Effect = "restore" | "hide" | "stay hidden" | "show" | "prepare data" | "erase";

/** Another request that ends. `restores`: undo the hide of an erasure. */
export type Ending = { requestId: number; state: "withdrawn" | "replaced"; restores: boolean };

/** A request gets a new state. */
export type Move = RequestUpdate & {
  kind: "move";
  ends: readonly Ending[];
  effects: readonly Effect[];
  /** Effects on the record are audited where they are carried out. */
  audit: readonly AuditAction[];
};

export type Step =
  | Move
  /** Refused: nothing that the sender wrote is kept, and the words are the same for every reason. */
  | { kind: "forget" }
  /** It cannot be verified, and is tried again. */
  | { kind: "try again"; note: string; ends: readonly Ending[] }
  /** Nothing happens yet. */
  | { kind: "postpone" };

type Rules = Pick<HolderSettings, "mode" | "graceMs" | "optOutKey">;

/** How long a request that cannot be verified is tried again, and postpones an erasure. */
const TRIED_MS = 7 * 24 * 3_600_000;

/**
 * The older open requests of the same wallet that a request ends. A request of the main wallet, other
 * than `see`, also ends those of all other wallets. `hide` leaves an erasure; `see` leaves everything.
 */
const REPLACES: Readonly<Record<Exclude<HolderAction, "withdraw">, readonly HolderAction[]>> = {
  hide: ["hide", "unhide"],
  unhide: ["hide", "unhide", "erase"],
  erase: ["unhide", "erase"],
  see: ["see"],
};

const ENDS_ERASURE: readonly HolderAction[] = ["withdraw", "unhide"];

/** The next step of a request, for a worker or after the operator's approval. */
export function nextStep(request: OpenRequest, proof: Proof, facts: Facts, rules: Rules, now: Date): Step {
  if (isNew(request) && facts.listing === null) return { kind: "forget" };
  if (request.withdrawn_at !== null) return closed("withdrawn", null);
  if (proof === "unverifiable") {
    const isOver = now.getTime() - request.received_at.getTime() > TRIED_MS;
    if (isOver) return closed("refused", NOTES.expired);
    return { kind: "try again", note: NOTES.unverifiable, ends: findSameUnverifiable(request, facts) };
  }
  if (proof === "clock") return closed("refused", NOTES.clock);
  const terms = isNew(request) ? termsOf(request, rules, now) : storedTerms(request, rules);
  const step = isEntitled(request, facts)
    ? planStep(request, facts, { ...rules, ...terms }, now)
    : request.state === "waiting"
      ? leftToOperator(NOTES.changed)
      : closed("refused", facts.listing === null ? NOTES.gone : NOTES.main);
  if (!isNew(request) || step.kind !== "move") return step;
  const { mode, graceMs } = terms;
  return { ...step, audit: ["request", ...step.audit], mode, grace_seconds: graceMs / 1_000 };
}

/** The operator refuses a request. */
export const refusedStep = (reason: string): Move => closed("refused", reason);

/** What a file of protections says about an open erasure. `missing`: the file is older than the request. */
type InFile = "open" | "waiting" | "withdrawn" | "ended" | "missing" | "unknown";

const LEFT_TO_OPERATOR: readonly InFile[] = ["withdrawn", "ended", "unknown"];

/**
 * A restored database does not carry out an erasure before its holder had the whole grace period, and
 * leaves one that ended after the backup to the operator. Null if nothing changes.
 */
export function restoredStep(
  request: OpenRequest,
  inFile: InFile,
  wasHidden: boolean | null,
  dueAt: Date,
): Move | null {
  const isWaiting = request.state === "waiting";
  if (LEFT_TO_OPERATOR.includes(inFile) || (isWaiting && inFile === "open")) {
    return { ...NOTHING, state: "review", note: NOTES.restored, due_at: null, audit: ["review"] };
  }
  if (!isWaiting && inFile !== "waiting") return null;
  const was_hidden = (request.was_hidden ?? false) || (wasHidden ?? false);
  const due_at = request.due_at !== null && request.due_at > dueAt ? request.due_at : dueAt;
  return { ...NOTHING, state: "waiting", note: null, effects: ["hide"], due_at, was_hidden };
}

/** Not verified before. */
const isNew = ({ state }: OpenRequest): boolean => state === "received" || state === "unverifiable";

/** The operator can approve an erasure that was accepted before the main wallet changed. */
function isEntitled({ action, passport_id, approved_for }: OpenRequest, { listing }: Facts): boolean {
  if (action === "erase" && approved_for?.includes(passport_id)) return true;
  return listing !== null && (listing === "main" || (action !== "erase" && action !== "see"));
}

/**
 * What an approval is for: these other people, and the record itself if it is an erasure that was
 * accepted, and whose wallet is not the main one any more.
 */
export function approvalOf(
  { action, passport_id, was_hidden }: OpenRequest,
  { listing }: Facts,
  others: readonly number[],
): number[] {
  const isChanged = action === "erase" && was_hidden !== null && listing !== "main";
  return isChanged ? [...others, passport_id] : [...others];
}

function planStep(request: OpenRequest, facts: Facts, rules: Rules, now: Date): Step {
  const { action, state, due_at } = request;
  const ends = isNew(request) ? findEnded(request, facts) : [];
  // It only ends what was asked for before, so the operator is not asked.
  if (action === "withdraw") {
    return { ...NOTHING, state: "done", note: ends.length === 0 ? NOTES.nothing : null, ends };
  }
  const was_hidden = findPreviousVisibility(request, facts, ends);
  const refusal = action === "unhide" ? findRefusalToShow(facts, ends) : null;
  // If only the operator keeps it hidden from now on, the operator can show it.
  if (refusal !== null)
    return { ...closed("refused", refusal), ends, effects: refusal === NOTES.hiddenByOperator ? ["show"] : [] };
  if (state === "waiting" && isWithdrawalOpen(request, facts)) {
    const isOver = due_at !== null && now.getTime() - due_at.getTime() > TRIED_MS;
    return isOver ? leftToOperator(NOTES.postponed) : { kind: "postpone" };
  }
  const note = findReviewNote(request, facts, rules);
  if (note !== null) return { ...NOTHING, state: "review", note, ends, was_hidden, audit: ["review"] };
  return { ...carriedOut(request, facts, rules, now, was_hidden), ends };
}

function carriedOut(
  { action, state, due_at }: OpenRequest,
  { visibility }: Facts,
  { graceMs }: Rules,
  now: Date,
  was_hidden: boolean | null,
): Move {
  const done = { ...NOTHING, state: "done" as const, note: null };
  if (action === "hide") return { ...done, effects: ["hide", "stay hidden"] };
  if (action === "unhide") return { ...done, effects: ["show"] };
  if (action === "see") return { ...done, effects: ["prepare data"], audit: ["see"] };
  if (state === "waiting" && due_at !== null && due_at <= now) return { ...done, effects: ["erase"] };
  return {
    ...NOTHING,
    state: "waiting",
    note: null,
    effects: ["hide"],
    due_at: due_at ?? new Date(now.getTime() + graceMs),
    was_hidden: was_hidden ?? visibility !== "shown",
  };
}

function findEnded(request: OpenRequest, { listing, open }: Facts): Ending[] {
  const { action, address, request_id } = request;
  const isMain = listing === "main";
  const older = open.filter((other) => other.request_id < request_id);
  if (action === "withdraw") {
    return older
      .filter((other) => isMain || other.address === address)
      .map((other) => ({ requestId: other.request_id, state: "withdrawn", restores: true }));
  }
  return older
    .filter((other) =>
      other.address === address ? REPLACES[action].includes(other.action) : isMain && action !== "see",
    )
    .map((other) => ({
      requestId: other.request_id,
      state: "replaced",
      // The record stays hidden from one erasure to the next.
      restores: !(action === "erase" && other.action === "erase"),
    }));
}

/** Whether the record was hidden before this erasure and those that it replaces; null if none hid it. */
function findPreviousVisibility(request: OpenRequest, { open }: Facts, ends: readonly Ending[]): boolean | null {
  const kept = new Set(ends.filter(({ restores }) => !restores).map(({ requestId }) => requestId));
  const replaced = open.filter((other) => kept.has(other.request_id) && other.was_hidden !== null);
  return request.was_hidden ?? replaced[0]?.was_hidden ?? null;
}

function findRefusalToShow({ visibility, open }: Facts, ends: readonly Ending[]): string | null {
  const ended = new Set(ends.map(({ requestId }) => requestId));
  if (open.some((other) => other.was_hidden !== null && !ended.has(other.request_id))) return NOTES.erasure;
  return visibility === "hidden by operator" ? NOTES.hiddenByOperator : null;
}

/** Requests that no worker can verify do not add up: the newest of a wallet and action stays. */
const findSameUnverifiable = ({ request_id, action, address }: OpenRequest, { open }: Facts): Ending[] =>
  open
    .filter((other) => other.state === "unverifiable" && other.request_id < request_id)
    .filter((other) => other.action === action && other.address === address)
    .map((other) => ({ requestId: other.request_id, state: "replaced", restores: false }));

/** Whether somebody entitled may have ended this erasure, in a request that is not verified yet. */
const isWithdrawalOpen = ({ request_id, address }: OtherRequest, { main, open }: Facts): boolean =>
  open
    .filter((other) => other.request_id > request_id && (other.state === "received" || other.state === "unverifiable"))
    .some((other) => ENDS_ERASURE.includes(other.action) && (other.address === address || other.address === main));

/** Whether a request that is looked at for the first time may end an erasure that waits. */
export const isUnverifiedWithdrawal = (request: OpenRequest, { open, ...facts }: Facts): boolean =>
  request.state === "received" &&
  open.some((other) => other.state === "waiting" && isWithdrawalOpen(other, { ...facts, open: [request] }));

function findReviewNote(
  { action, state, approved_for }: OpenRequest,
  { others }: Facts,
  { mode, optOutKey }: Rules,
): string | null {
  if (others.some((id) => !approved_for?.includes(id))) return NOTES.others;
  // A worker has accepted what waits. Its mode counts, not that of the worker that erases.
  if (approved_for === null && mode !== "on" && state !== "waiting") return NOTES.review;
  return action === "erase" && optOutKey === null ? NOTES.review : null;
}

const NOTHING = { kind: "move", ends: [], effects: [], audit: [] } as const;

/** An accepted erasure that cannot go on by itself. The record stays hidden. */
const leftToOperator = (note: string): Move => ({ ...NOTHING, state: "review", note, due_at: null, audit: ["review"] });

const closed = (state: "withdrawn" | "refused", note: string | null): Move => ({
  ...NOTHING,
  state,
  note,
  effects: ["restore"],
  audit: [state === "refused" ? "refuse" : "withdraw"],
});
