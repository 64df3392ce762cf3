import type { PersonState } from "#decisions/ledger.ts";
import type { Wish } from "#holders/proof/message.ts";

// All rules about requests of holders. requests.ts reads what they depend on, carry-out.ts does what they
// decide. Requests whose signature is not valid never get here.

export type State = "received" | "review" | "waiting" | "done" | "refused";

/** What is stored about the wallet that signed. */
export type Facts = {
  /** Records whose main wallet it is. */
  main: readonly number[];
  /** Unmerged records that list it, if it is no main wallet. */
  listing: readonly number[];
  /** Records that this request does not cover, and that list a wallet of one that it does: of an erasure. */
  others: readonly number[];
  /** Of the covered records, those that are not shown. */
  hidden: readonly PersonState[];
};

export type Case = {
  wish: Wish;
  state: State;
  facts: Facts;
  /** The operator looks at every request: as promised in the signed text, or by HOLDER_REQUESTS of the worker. */
  isReviewed: boolean;
  /** The worker has OPT_OUT_KEY. */
  canErase: boolean;
  /** The records that the operator agreed to change; null before the decision. */
  approvedFor: readonly number[] | null;
  /** Of an erasure that was accepted: the records that it still hides. */
  accepted: readonly number[];
  isDue: boolean;
  /** Its holder may have asked to show the record, in a request that could not be checked for 7 days. */
  isPostponed: boolean;
};

/** What happens to the covered records. */
type Effect = "hide" | "show" | "erase" | "erased" | null;

export type Step = { state: State; effect: Effect; note: string | null };

type Rule = {
  from: readonly State[];
  when: string;
  applies: (request: Case) => boolean;
  to: State;
  effect: (request: Case) => Effect;
  note: (request: Case) => string | null;
};

/** The records that a request is about. An erasure needs the main wallet, until it is accepted. */
export function coveredBy(
  wish: Wish,
  accepted: readonly number[],
  { main, listing }: Pick<Facts, "main" | "listing">,
): readonly number[] {
  if (accepted.length > 0) return accepted;
  return main.length > 0 || wish === "erase" ? main : listing;
}

const covered = ({ wish, accepted, facts }: Case): readonly number[] => coveredBy(wish, accepted, facts);
const isMain = ({ facts }: Case): boolean => facts.main.length > 0;
const isAmbiguous = ({ wish, facts }: Case): boolean => wish !== "erase" && facts.listing.length > 1;
const isErasing = ({ facts }: Case): boolean => facts.hidden.some(({ erasing }) => erasing);
const keptHidden = ({ facts }: Case): number =>
  facts.hidden.filter(({ hidden_by_operator, erased }) => hidden_by_operator || erased).length;
const isHiddenByOperator = (request: Case): boolean => keptHidden(request) === covered(request).length;
const isApproved = ({ approvedFor }: Case, ids: readonly number[]): boolean =>
  approvedFor !== null && ids.every((id) => approvedFor.includes(id));
/** Of an accepted erasure: records that the wallet is not the main wallet of any more, or that became involved. */
const changed = ({ facts, accepted }: Case): number[] => [
  ...accepted.filter((id) => !facts.main.includes(id)),
  ...facts.others,
];

const NOTHING = () => null;

export const NOTES = {
  unlisted: "No record here has this wallet.",
  main: "Only the main wallet of a record can ask for this, and this wallet is none.",
  erasing: "The main wallet of this record asked to erase it.",
  hiddenByOperator: "The operator hid this record.",
  cancelled: "The erasure is cancelled, and nothing was deleted.",
  partly: "The operator hid one of these records, which stays hidden.",
  review: "The operator decides on this request.",
  ambiguous: "Several records list this wallet, so the operator decides.",
  others: "Another record has a wallet of this one, so the operator decides.",
  changed: "The wallets of the record have changed. It stays hidden until the operator decides.",
  postponed: "A later request to show the record could not be checked. It stays hidden until the operator decides.",
  later: "A later request of this wallet took its place.",
  expired: "This server could not check the request for 7 days. Sign again.",
  clock: "A clock of the server was wrong. Sign again.",
} as const;

/** The first rule that applies decides. The table of README.md is generated from it. */
export const RULES: readonly Rule[] = [
  {
    from: ["received", "review"],
    when: "no record has the wallet: for an erasure as its main wallet",
    applies: (request) => covered(request).length === 0,
    to: "refused",
    effect: NOTHING,
    note: ({ wish, facts }) => (wish === "erase" && facts.listing.length > 0 ? NOTES.main : NOTES.unlisted),
  },
  {
    from: ["received", "review"],
    when: "show: the operator hid the record, or it waits for its erasure and another than its main wallet asks",
    applies: (request) =>
      request.wish === "show" && ((!isMain(request) && isErasing(request)) || isHiddenByOperator(request)),
    to: "refused",
    // If only the operator keeps it hidden from now on, the operator can show it.
    effect: (request) => (isHiddenByOperator(request) && isMain(request) ? "show" : null),
    note: (request) => (isHiddenByOperator(request) ? NOTES.hiddenByOperator : NOTES.erasing),
  },
  {
    from: ["received", "review"],
    when: "the operator has to agree first: in review mode, if several records only list the wallet, or if an erasure would take a wallet from another record; an erasure without OPT_OUT_KEY",
    applies: (request) =>
      (request.wish === "erase" && !request.canErase) ||
      (request.approvedFor === null && (request.isReviewed || isAmbiguous(request))) ||
      !(request.facts.others.length === 0 || isApproved(request, request.facts.others)),
    to: "review",
    effect: NOTHING,
    note: (request) =>
      request.facts.others.length > 0 ? NOTES.others : isAmbiguous(request) ? NOTES.ambiguous : NOTES.review,
  },
  {
    from: ["received", "review"],
    when: "hide, show",
    applies: ({ wish }) => wish !== "erase",
    to: "done",
    effect: ({ wish }) => wish,
    note: (request) =>
      request.wish !== "show"
        ? null
        : keptHidden(request) > 0
          ? NOTES.partly
          : isErasing(request)
            ? NOTES.cancelled
            : null,
  },
  {
    from: ["received", "review"],
    when: "erase: hidden at once",
    applies: () => true,
    to: "waiting",
    effect: () => "erase",
    note: NOTHING,
  },
  {
    from: ["waiting"],
    when: "its time has come, and the wallets are not as the operator or this server accepted them, or a later request to show the record could not be checked for 7 days",
    applies: (request) =>
      request.isDue &&
      ((changed(request).length > 0 && !isApproved(request, changed(request))) ||
        (request.isPostponed && request.approvedFor === null)),
    to: "review",
    effect: NOTHING,
    note: ({ isPostponed }) => (isPostponed ? NOTES.postponed : NOTES.changed),
  },
  {
    from: ["waiting"],
    when: "due",
    applies: ({ isDue }) => isDue,
    to: "done",
    effect: () => "erased",
    note: NOTHING,
  },
];

/** Ends of open requests that do not follow from these facts; the last row of the table. */
export const OTHER_ENDS =
  "a later request of the wallet (not for an erasure that waits), a decision that ends the erasure, the operator refuses, or no worker could check it for 7 days";

/** The next step of a request; null if nothing happens yet. */
export function nextStep(request: Case): Step | null {
  const rule = RULES.find(({ from, applies }) => from.includes(request.state) && applies(request));
  return rule === undefined ? null : { state: rule.to, effect: rule.effect(request), note: rule.note(request) };
}

/** What an approval is for: everything that the request would change now. */
export const approvalOf = (request: Case): number[] => [...covered(request), ...request.facts.others];
