import { formatLeft } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { errorAt, errorList, type FieldError } from "./form-errors.ts";
import { ACTION_NAMES, type HolderAction, type HolderSite, holderPage, writeToOperator } from "./holder-site.ts";
import { PROBLEMS } from "./problems.ts";
import { requestHistory } from "./request-history.ts";
import { isOpen, isUnlisted, type RequestState, type RequestView } from "./request-view.ts";

export type StateView = {
  code: string;
  /** Null if no request has this code, or if none was asked for. */
  request: RequestView | null;
  /** Why nothing was found. */
  problem: "code" | "secret" | null;
  now: Date;
};

const DONE: Readonly<Record<HolderAction, string>> = {
  hide: "Done: the record is hidden",
  unhide: "Done: the record is shown again",
  erase: "Done: the record is erased",
  see: "Done: your data is prepared",
  withdraw: "Done: withdrawn",
};

const HEADINGS: Readonly<Record<Exclude<RequestState, "done" | "waiting">, string>> = {
  received: "Received, not processed yet",
  unverifiable: "Received, and cannot be checked at the moment",
  review: "The operator decides",
  refused: "Refused",
  withdrawn: "Withdrawn",
  replaced: "Replaced by a later request",
};

/** The state of a request, found by its code. It names no person. */
export const statePage = (site: HolderSite, { code, request, problem, now }: StateView): Safe =>
  holderPage(site, {
    title: problem === null ? "State of a request" : "Error: State of a request",
    main: html`<section>
${request === null ? html`<h1>State of a request</h1>` : shownRequest(site, code, request, now)}
</section>
${lookUp(site, request === null ? code : "", request !== null, problem)}
<section class="folds" aria-label="More about this">
<details><summary>I lost the code</summary>
<p class="small">Sign with the same wallet instead: <a href="${site.links.to("/holder?want=withdraw")}">withdraw by signature</a>. It withdraws the open request about the passport and needs no code. What was prepared for you cannot be fetched without code and secret: <a href="${site.links.holder}">ask again</a>.</p></details>
</section>`,
  });

function lookUp(site: HolderSite, code: string, isAnother: boolean, problem: StateView["problem"]): Safe {
  const errors: FieldError[] = problem === null ? [] : [{ field: "code", ...describe(problem) }];
  const { sentence, attributes } = errorAt(errors, "code");
  return html`<section aria-labelledby="look">
${errorList(errors)}<h2 id="look">${isAnother ? "Another request" : "Look up a code"}</h2>
<form class="stack ask" action="${site.links.to("/holder/requests/state")}" method="post" novalidate>
<div class="field"><label for="code">Code of the receipt</label>
${sentence}<input id="code" name="code" value="${code}" required maxlength="100" spellcheck="false" autocapitalize="off" autocomplete="off"${attributes}></div>
<button${isAnother && html` class="second"`}>Show the state</button>
</form>
</section>`;
}

const describe = (problem: "code" | "secret"): Omit<FieldError, "field"> => ({
  short: problem === "code" ? "No request has this code" : "Code and secret do not fit",
  text: PROBLEMS[problem],
});

function shownRequest(site: HolderSite, code: string, request: RequestView, now: Date): Safe {
  const { action, state, availableUntil } = request;
  return html`<p class="over">Your request: ${ACTION_NAMES[action]}</p>
<h1 dir="auto">${headingOf(request, now)}</h1>
${isUnlisted(request) && unlisted(site)}
${requestHistory(request, now)}
${action === "see" && state === "done" && (availableUntil === null ? html`<p>The prepared data was deleted. Ask again if you need it.</p>` : fetchForm(site, code))}
${
  isOpen(state) &&
  html`<form class="side" action="${site.links.to("/holder/requests/withdraw")}" method="post">
<input type="hidden" name="code" value="${code}">
<button>Withdraw the request</button> <span class="small soft">${state === "waiting" ? "The record is then shown or hidden as it was before." : "Nothing happens then."}</span>
</form>`
}`;
}

function headingOf(request: RequestView, now: Date): string {
  const { action, state, note, dueAt } = request;
  if (state === "done") return DONE[action];
  if (state === "waiting") return `Hidden now, erased ${dueAt === null ? "later" : formatLeft(dueAt, now)}`;
  return isUnlisted(request) && note !== null ? note.replace(/\.$/, "") : HEADINGS[state];
}

const unlisted = ({
  links,
  settings,
}: HolderSite): Safe => html`<p>Nothing was changed. Either the number or the wallet is not the right one:</p>
<ul class="plain-list">
<li><p>${links.people === null ? "Check the number of the passport and the wallet." : "Open the page of your passport and compare its number and wallets."} Then <a href="${links.holder}">ask again</a>.</p></li>
<li><p>If none of its wallets is yours any more: ${writeToOperator(settings.operator)}</p></li>
</ul>`;

const fetchForm = (
  { links }: HolderSite,
  code: string,
): Safe => html`<form class="stack ask" action="${links.to("/holder/requests/data")}" method="post">
<input type="hidden" name="code" value="${code}">
<div class="field"><label for="secret">Secret of the receipt</label>
<input id="secret" name="secret" required maxlength="100" spellcheck="false" autocapitalize="off" autocomplete="off"></div>
<button>Show my data</button>
</form>`;
