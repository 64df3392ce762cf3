import { formatMoment } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { errorAt, errorList, type FieldError } from "./form-errors.ts";
import { askLink, type HolderSite, holderPage, steps } from "./holder-site.ts";
import { SECRET_CHARACTERS } from "./receipt.ts";
import { actionsOf } from "./request-actions.ts";
import { hasData, isOpen, type RequestPage, type RequestState, type RequestView, type Signed } from "./request-view.ts";
import { describeState, moment, stepOf, wishOf } from "./request-words.ts";
import { lostReceipt } from "./return-page.ts";
import { recordSections, type StoredRecord } from "./stored-record.ts";

/**
 * Receipt, state and result of a request, the answer to every form about it. There is one form, which
 * all buttons send, so that code and secret are never lost on the way, and are in no address.
 */
export function requestPage(site: HolderSite, page: RequestPage): Safe {
  const { request, signed, record, now } = page;
  const asksSecret = hasData(request) && record === null;
  const errors = page.isSecretWrong ? [wrongSecret(page.secret ?? "")] : [];
  const words = describeState(site, request, signed, now);
  const heading = record === null ? words.heading : "What is stored about you";
  return holderPage(site, {
    title: `${errors.length > 0 ? "Error: " : ""}${heading}`,
    main: html`<section class="card narrow">
${steps(3, ["Asked", "Signed", stepOf(request)])}
<div class="stack tight"><h1 dir="auto">${heading}</h1>
${record === null ? words.text : dataText(record, request)}</div>
${errorList(errors)}<form class="${asksSecret ? "stack ask" : "acts"}" id="request" action="${site.links.to("/holder/requests/state")}" method="post" novalidate>
${carried(page, asksSecret)}${asksSecret ? secretField(page.secret ?? "", errors) : actionsOf(site, page)}
</form>
${record === null && facts(request, signed)}
</section>
${record !== null && recordSections(record)}${asksSecret ? lostReceipt(site) : isKept(request) && receiptSection(site, page)}`,
  });
}

const dataText = ({ passport }: StoredRecord, { availableUntil }: RequestView): Safe =>
  html`<p>Passport ${passport.passport_id}. Only you see this page. ${availableUntil !== null && html`This copy is deleted on ${moment(availableUntil)}; your record stays as it is.`}</p>`;

/** Nobody comes back to what was refused or cancelled. */
const isKept = ({ state }: RequestView): boolean => isOpen(state) || state === "done";

/** What every form sends along. */
const carried = ({ code, secret, signed }: RequestPage, asksSecret: boolean): Safe =>
  html`${hidden("code", code)}${!asksSecret && secret !== null && hidden("secret", secret)}${signed !== null && hidden("message", signed.message)}`;

const hidden = (name: string, value: string): Safe => html`<input type="hidden" name="${name}" value="${value}">`;

function secretField(typed: string, errors: readonly FieldError[]): Safe {
  const { sentence, attributes } = errorAt(errors, "secret");
  return html`<div class="field"><label for="secret">Secret of the receipt</label>
${sentence}<input id="secret" class="mono" name="secret" value="${typed}" required maxlength="100" spellcheck="false" autocapitalize="off" autocomplete="off"${attributes}></div>
<button>Show my data</button>`;
}

function wrongSecret(typed: string): FieldError {
  const length = [...typed].length;
  return {
    field: "secret",
    short: "The secret does not fit this code",
    text: `The code is right, the secret is not.${length === SECRET_CHARACTERS ? "" : ` It has ${SECRET_CHARACTERS} characters; yours has ${length}.`} Copy it from the receipt file.`,
  };
}

const TITLES: Readonly<Record<RequestState, string>> = {
  received: "Received",
  unverifiable: "Could not be checked",
  review: "Given to the operator",
  waiting: "Wallet checked, hidden",
  done: "Done",
  refused: "Refused",
  withdrawn: "Cancelled",
  replaced: "Replaced",
};

function facts({ action, receivedAt, history }: RequestView, signed: Signed | null): Safe {
  const row = (name: string, value: Safe): Safe => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`;
  const at = (date: Date): Safe => html`<time datetime="${date.toISOString()}">${formatMoment(date)}</time>`;
  return html`<dl class="kv">
${row("Your wish", html`${wishOf(action, signed?.passportId ?? null)}`)}${
  signed !== null && row("Signed by", html`<span class="mono all">${signed.address}</span>`)
}${row("Received", at(receivedAt))}${history.map((entry) => row(TITLES[entry.state], at(entry.at)))}</dl>`;
}

function receiptSection(site: HolderSite, { request, code, secret }: RequestPage): Safe {
  const { links } = site;
  return html`<section class="narrow" aria-labelledby="keep">
<h2 id="keep">To come back later</h2>
<p>Keep the receipt: a small text file. Paste its text on <a href="${links.to("/holder/requests")}">Come back to a request</a>, on any device. ${isOpen(request.state) && html`Without it, <a href="${askLink(site, { want: "withdraw" })}">sign again</a> to cancel. `}There is no link to this page, so none can leak.</p>
<p class="acts"><button class="ghost" form="request" formaction="${links.to("/holder/requests/receipt")}">Save the receipt</button></p>
<details><summary>Show code${secret !== null && " and secret"}</summary>
<dl class="kv"><div><dt>Code</dt><dd class="mono all" id="kept-code">${code}</dd></div>
${secret !== null && html`<div><dt>Secret</dt><dd class="mono all" id="kept-secret">${secret}</dd></div>\n`}</dl></details>
</section>
`;
}
