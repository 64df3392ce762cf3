import { expect, test } from "vitest";
import { WISHES } from "#holders/proof/message.ts";
import { approvalOf, type Case, nextStep, RULES } from "./rules.ts";

const MAIN = [[], [1], [1, 2]];
const LISTING = [[], [3], [3, 4]];
const OTHERS = [[], [9]];
const STATE = { hidden_by_operator: false, hidden_by_holder: false, erasing: false, erased: false, keeps_facts: true };
const HIDDEN = [{}, { hidden_by_holder: true }, { hidden_by_operator: true }, { erasing: true }, { erased: true }];
const FLAGS = [true, false];

/** Every case that can be: only an erasure waits, or is accepted, and a main wallet is in no other role. */
function* cases(): Generator<Case> {
  for (const wish of WISHES)
    for (const state of ["received", "review", "waiting", "done", "refused"] as const)
      for (const [main = [], listing = []] of [...MAIN.map((ids) => [ids]), ...LISTING.map((ids) => [[], ids])])
        for (const others of wish === "erase" ? OTHERS : [[]])
          for (const accepted of wish === "erase" && state !== "received" ? [[], [1], [1, 2]] : [[]])
            for (const hiddenOf of HIDDEN)
              for (const areAllHidden of FLAGS) {
                const ids = accepted.length > 0 ? accepted : wish === "erase" || main.length > 0 ? main : listing;
                const hidden = (areAllHidden ? ids : ids.slice(0, 1)).map((passport_id) => ({
                  ...{ passport_id, ...STATE },
                  ...hiddenOf,
                }));
                for (const [isReviewed, canErase, isDue, isPostponed] of FOUR)
                  for (const approvedFor of [null, ids, [...ids, ...others]])
                    if (state !== "waiting" || accepted.length > 0)
                      yield {
                        ...{ wish, state, accepted, isReviewed, canErase, isDue, isPostponed, approvedFor },
                        facts: { main, listing, others, hidden },
                      };
              }
}

const FOUR = FLAGS.flatMap((a) => FLAGS.flatMap((b) => FLAGS.flatMap((c) => FLAGS.map((d) => [a, b, c, d] as const))));

/** What docs/HOLDERS.md and issue 62 promise, in the order of a reader's questions. */
function promised({
  wish,
  state,
  facts,
  accepted,
  isReviewed,
  canErase,
  isDue,
  isPostponed,
  approvedFor,
}: Case): string {
  const { main, listing, others, hidden } = facts;
  const hasAgreedTo = (ids: readonly number[]) => approvedFor !== null && ids.every((id) => approvedFor.includes(id));
  if (state === "done" || state === "refused") return "nothing";
  if (state === "waiting") {
    const isSame = others.length === 0 && accepted.every((id) => main.includes(id));
    const lost = accepted.filter((id) => !main.includes(id));
    if (isDue && isPostponed && approvedFor === null) return "review";
    return !isDue ? "nothing" : isSame || hasAgreedTo([...lost, ...others]) ? "done, erased" : "review";
  }
  const signer = main.length > 0 ? "main" : listing.length > 0 ? "other" : "stranger";
  if (accepted.length === 0 && (signer === "stranger" || (wish === "erase" && signer === "other"))) return "refused";
  if (wish === "show") {
    const kept = hidden.filter(({ hidden_by_operator, erased }) => hidden_by_operator || erased).length;
    if (kept === (signer === "main" ? main : listing).length) return signer === "main" ? "refused, show" : "refused";
    if (signer === "other" && hidden.some(({ erasing }) => erasing)) return "refused";
  }
  if (wish === "erase" && (!canErase || !hasAgreedTo(others)) && (!canErase || others.length > 0)) return "review";
  const isUnclear = wish !== "erase" && signer === "other" && listing.length > 1;
  if ((isReviewed || isUnclear) && approvedFor === null) return "review";
  return wish === "erase" ? "waiting, erase" : `done, ${wish}`;
}

test("all cases follow the promises, with a reason, and every rule is used", () => {
  const used = new Set();
  const texts: string[] = [];
  for (const request of cases()) {
    const step = nextStep(request);
    const found = step === null ? "nothing" : [step.state, ...(step.effect === null ? [] : [step.effect])].join(", ");
    if (found !== promised(request)) texts.push(`${JSON.stringify(request)}: ${found}, not ${promised(request)}`);
    // The holder learns why nothing happened.
    if ((step?.state === "refused" || step?.state === "review") && !step.note) texts.push(JSON.stringify(request));
    used.add(RULES.find(({ from, applies }) => from.includes(request.state) && applies(request)));
  }
  expect(texts.slice(0, 3)).toEqual([]);
  expect(RULES.filter((rule) => !used.has(rule))).toEqual([]);
});

test("an approval is enough: no case asks the operator twice, unless the records change", () => {
  for (const request of cases()) {
    if (request.state !== "review" || !request.canErase) continue;
    const step = nextStep({ ...request, approvedFor: approvalOf(request) });
    expect(step?.state).not.toBe("review");
  }
});
