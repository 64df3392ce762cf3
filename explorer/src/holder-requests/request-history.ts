import { formatMoment } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import type { HolderAction } from "./holder-site.ts";
import { isOpen, isUnlisted, type RequestState, type RequestView } from "./request-view.ts";

type Row = { at: Date; title: string; text: string | null; look?: "now" | "later" };

/** What happened to a request and what will, with dates. */
export function requestHistory(request: RequestView, now: Date): Safe {
  const { history, receivedAt, state, dueAt } = request;
  const rows: Row[] = [
    { at: receivedAt, title: "Received", text: proofOf(history) },
    ...history.map((entry, index) => entryRow(request, entry, index === history.length - 1)),
  ];
  if (isOpen(state)) rows.push({ at: now, title: "Now", text: NOW[state] ?? null, look: "now" });
  if (state === "waiting" && dueAt !== null)
    rows.push({ at: dueAt, title: "Will be erased", text: "After that nobody can undo it.", look: "later" });
  return html`<ol class="time">
${rows.map(
  ({ at, title, text, look }) =>
    html`<li${look !== undefined && html` class="${look}"`}><time datetime="${at.toISOString()}">${formatMoment(at)}</time><div><h2>${title}</h2>${text !== null && html`<p class="small" dir="auto">${text}</p>`}</div></li>
`,
)}</ol>`;
}

const proofOf = (history: RequestView["history"]): string =>
  history.some(({ state }) => ["review", "waiting", "done"].includes(state))
    ? "The signature fits a wallet that the passport lists."
    : "The signature fits the wallet.";

const NOW: Partial<Record<RequestState, string>> = {
  received: "The server compares it with the record, usually within seconds. You can withdraw the request.",
  unverifiable: "The server tries again for seven days. You can withdraw the request.",
  review: "The operator decides. You can withdraw the request.",
  waiting: "You can withdraw the request.",
};

const TITLES: Readonly<Record<RequestState, string>> = {
  received: "Received",
  unverifiable: "Not checked",
  review: "Given to the operator",
  waiting: "Hidden",
  done: "Done",
  refused: "Refused",
  withdrawn: "Withdrawn",
  replaced: "Replaced by a later request",
};

const HIDDEN = "The API and these pages answer as if the passport had never existed.";

const EFFECTS: Readonly<Record<HolderAction, string>> = {
  hide: HIDDEN,
  unhide: "The record is shown as before.",
  erase: "The record is deleted.",
  see: "Your data can be fetched for 24 hours.",
  withdraw: "What was open is ended.",
};

function entryRow(request: RequestView, { state, at }: RequestView["history"][number], isLast: boolean): Row {
  const { action, note } = request;
  const texts: Partial<Record<RequestState, string>> = {
    unverifiable: "The server could not verify the text.",
    waiting: HIDDEN,
    done: note ?? EFFECTS[action],
    refused: isUnlisted(request)
      ? "The passport does not list the wallet. This line is deleted after 24 hours."
      : (note ?? ""),
    withdrawn: "What it had changed is as it was before.",
  };
  const text = texts[state] ?? (isLast ? note : null);
  return { at, title: TITLES[state], text, ...(isLast && !isOpen(state) && { look: "now" as const }) };
}
