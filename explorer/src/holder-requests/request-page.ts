import { formatDay, formatLeft, formatMoment, formatTime } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { askLink, type HolderSite, holderPage, steps, type Wish, writeToOperator } from "./holder-site.ts";
import { PROBLEMS } from "./problems.ts";

export type RequestState = "received" | "review" | "waiting" | "done" | "refused";

/** A request of a holder. */
export type RequestView = {
  wish: Wish;
  state: RequestState;
  note: string | null;
  receivedAt: Date;
  dueAt: Date | null;
  completedAt: Date | null;
  /** The records that it is about. */
  passportIds: readonly number[];
  /** The wallet that signed; null once it is erased. */
  address: string | null;
};

/** The state of a request, and its result. */
export function requestPage(site: HolderSite, request: RequestView, now: Date): Safe {
  const { heading, text } = describe(site, request, now);
  const isOpen = request.completedAt === null;
  return holderPage(site, {
    title: heading,
    refreshSeconds: request.state === "received" ? 3 : null,
    main: html`<section class="card narrow">
${steps(3, LAST_STEPS[request.state])}
<div class="stack tight" role="status"><h1 dir="auto">${heading}</h1>
<p dir="auto">${text}</p></div>
<div class="acts">${actions(site, request)}</div>
${facts(request)}
</section>
${isOpen && html`<p class="small soft narrow">The address of this page is yours only: nobody can guess it. If you lose it, sign again.</p>`}`,
  });
}

const LAST_STEPS = { received: "Checking", review: "Operator", waiting: "Waiting", done: "Done", refused: "Not done" };

/** `passport 7` or `passports 7 and 9`. */
function namesOf(ids: readonly number[]): string {
  const last = ids.at(-1);
  if (last === undefined) return "the record";
  return ids.length === 1 ? `passport ${last}` : `passports ${ids.slice(0, -1).join(", ")} and ${last}`;
}

type Words = { heading: string; text: Safe | string };

function describe({ settings, mode }: HolderSite, request: RequestView, now: Date): Words {
  const { wish, state, note, dueAt, passportIds } = request;
  const contact = writeToOperator(settings.operator);
  const names = namesOf(passportIds);
  switch (state) {
    case "received":
      return {
        heading: "We look for your record",
        text: `Your signature is valid. ${mode === "review" ? "Then the operator decides. " : ""}This page loads itself again.`,
      };
    case "review":
      return {
        heading: "The operator decides",
        text: html`${note} About ${names}. You need not wait here: keep the address of this page. If nothing happens for long: ${contact}`,
      };
    case "waiting":
      return {
        heading: `Hidden now, erased ${dueAt === null ? "later" : formatLeft(dueAt, now)}`,
        text: html`Nobody sees ${names} any more. ${dueAt === null ? "Later" : html`On ${moment(dueAt)}`} the data is deleted, and nobody can undo that. Until then “show again”, signed by the main wallet, cancels it.`,
      };
    case "refused":
      return { heading: "Not carried out", text: html`${note}<br>Is that not right? ${contact}` };
    case "done":
      return doneWords(wish, passportIds.length > 1, names, note);
  }
}

function doneWords(wish: Wish, areSeveral: boolean, names: string, note: string | null): Words {
  const record = areSeveral ? "your records are" : "your record is";
  const words: Readonly<Record<Wish, Words>> = {
    hide: {
      heading: `Done: ${record} hidden`,
      text: `The API and these pages answer as if ${names} had never existed. Copies in shared caches remain for two minutes.`,
    },
    show: {
      heading: `Done: ${record} shown again`,
      text: note ?? "It is shown as before.",
    },
    erase: {
      heading: `Done: ${record} erased`,
      text: `What remains of ${names}: the number, its wallets as hashes that only the operator can recognise, and back-ups until they expire.`,
    },
  };
  return words[wish];
}

/** `21 November 2026, 11:05 UTC`. */
const moment = (date: Date): Safe =>
  html`<time datetime="${date.toISOString()}">${formatDay(date)}, ${formatTime(date)}</time>`;

/** What the holder can do next, the most likely first. Each needs a new signature, of the same wallet. */
function actions(site: HolderSite, { wish, state, passportIds, address }: RequestView): Safe {
  const fields = address === null ? { edit: "form" as const } : { wallet: address };
  const ask = (want: Wish, label: string, look: string | null): Safe =>
    html`<a class="button${look !== null && ` ${look}`}" href="${askLink(site, { ...fields, want })}">${label}</a>`;
  const [passportId] = passportIds;
  const open =
    site.links.people !== null && passportId !== undefined
      ? html`<a class="button ghost" href="${site.links.to(`/passports/${passportId}`)}">Open passport ${passportId}</a>`
      : false;
  if (state === "waiting") return ask("show", "Cancel the erasure", null);
  if (state === "refused") return ask(wish, "Ask again", null);
  if (state !== "done") return html`<form><button class="ghost">Load this page again</button></form>`;
  if (wish === "hide") return html`${ask("show", "Show it again", "ghost")}${ask("erase", "Erase it", "ghost")}`;
  if (wish === "show") return html`${open}${ask("hide", "Hide it", "ghost")}`;
  return html`<a class="button ghost" href="${site.links.home}">Go to the first page</a>`;
}

const WISHES = { hide: "Hide", show: "Show again", erase: "Erase" };

function facts({ wish, receivedAt, completedAt, passportIds }: RequestView): Safe {
  const row = (name: string, value: Safe | string): Safe => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`;
  const at = (date: Date): Safe => html`<time datetime="${date.toISOString()}">${formatMoment(date)}</time>`;
  return html`<dl class="kv">
${row("Your wish", WISHES[wish])}${passportIds.length > 0 && row(passportIds.length === 1 ? "Passport" : "Passports", passportIds.join(", "))}${row("Received", at(receivedAt))}${completedAt !== null && row("Completed", at(completedAt))}</dl>`;
}

/** No request has this address. */
export const unknownPage = (site: HolderSite): Safe =>
  holderPage(site, {
    title: "No such request",
    main: html`<section class="card narrow">
<h1>No such request</h1>
<p>${PROBLEMS.code}</p>
<div class="acts"><a class="button" href="${site.links.holder}">Your record</a></div>
</section>`,
  });
