import { formatMoment } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { ACTION_NAMES, type HolderAction, type HolderSite, holderPage } from "./holder-site.ts";

export type RequestState =
  | ("received" | "unverifiable" | "review" | "waiting")
  | ("done" | "refused" | "withdrawn" | "replaced");

export type RequestView = {
  action: HolderAction;
  state: RequestState;
  note: string | null;
  receivedAt: Date;
  dueAt: Date | null;
  completedAt: Date | null;
  availableUntil: Date | null;
};

export type StateView = {
  code: string;
  /** Null if no request has this code, or if none was asked for. */
  request: RequestView | null;
  problem: Safe | null;
};

const DONE: Readonly<Record<HolderAction, string>> = {
  hide: "Done: the record is hidden",
  unhide: "Done: the record is shown again",
  erase: "Done: the record is erased",
  see: "Done: your data is prepared",
  withdraw: "Done: taken back",
};

const HEADINGS: Readonly<Record<Exclude<RequestState, "done">, string>> = {
  received: "Received, not processed yet",
  unverifiable: "Received, and cannot be checked at the moment",
  review: "The operator decides",
  waiting: "Hidden, and erased later",
  refused: "Refused",
  withdrawn: "Withdrawn",
  replaced: "Replaced by a later request",
};

const OPEN: readonly RequestState[] = ["received", "unverifiable", "review", "waiting"];

/** The state of a request, found by its code. It names no person. */
export const statePage = (site: HolderSite, { code, request, problem }: StateView): Safe =>
  holderPage(site, {
    title: "State of a request",
    main: html`<section>
<h1>State of a request</h1>
${problem !== null && html`<div class="note" role="alert">${problem}</div>`}
${request !== null && shownRequest(site, code, request)}
</section>
<section aria-labelledby="look">
<h2 id="look">${request === null ? "Look up a code" : "Look up another code"}</h2>
<form class="stack" action="${site.links.to("/holder/requests/state")}" method="post">
<label for="code">Code of the receipt</label>
<div class="find"><input id="code" name="code" value="${request === null && code}" required maxlength="100" spellcheck="false" autocapitalize="off" autocomplete="off"></div>
<button>Show the state</button>
</form>
<p><a href="${site.links.holder}">Your record</a></p>
</section>`,
  });

function shownRequest(site: HolderSite, code: string, request: RequestView): Safe {
  const { action, state, note, receivedAt, dueAt, completedAt, availableUntil } = request;
  return html`<div class="box stack">
<h2>${state === "done" ? DONE[action] : HEADINGS[state]}</h2>
<dl class="facts">
<dt>Request</dt><dd>${ACTION_NAMES[action]}</dd>
<dt>Received</dt><dd>${moment(receivedAt)}</dd>
${dueAt !== null && state === "waiting" && html`<dt>Erased on</dt><dd>${moment(dueAt)}</dd>`}
${completedAt !== null && html`<dt>Completed</dt><dd>${moment(completedAt)}</dd>`}
${availableUntil !== null && html`<dt>To be fetched until</dt><dd>${moment(availableUntil)}</dd>`}
${note !== null && html`<dt>Reason</dt><dd dir="auto">${note}</dd>`}
</dl>
${action === "see" && state === "done" && (availableUntil === null ? html`<p>The prepared data was deleted. Ask again if you need it.</p>` : fetchForm(site, code))}
${
  OPEN.includes(state) &&
  html`<form class="stack" action="${site.links.to("/holder/requests/withdraw")}" method="post">
<input type="hidden" name="code" value="${code}">
<p class="small soft">${state === "waiting" ? "If you withdraw it, the record is shown or hidden as it was before." : "If you withdraw it, nothing happens."}</p>
<button>Withdraw the request</button>
</form>`
}
</div>`;
}

const fetchForm = (
  { links }: HolderSite,
  code: string,
): Safe => html`<form class="stack" action="${links.to("/holder/requests/data")}" method="post">
<input type="hidden" name="code" value="${code}">
<label for="secret">Secret of the receipt</label>
<div class="find"><input id="secret" name="secret" required maxlength="100" spellcheck="false" autocapitalize="off" autocomplete="off"></div>
<button>Show my data</button>
</form>`;

const moment = (date: Date): Safe => html`<time datetime="${date.toISOString()}">${formatMoment(date)}</time>`;
