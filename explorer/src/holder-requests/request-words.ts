import { formatDay, formatLeft, formatTime } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { type HolderAction, type HolderSite, orWriteToOperator } from "./holder-site.ts";
import { hasData, isUnlisted, type RequestState, type RequestView, type Signed } from "./request-view.ts";

/** What the holder wants, with the number of the passport if it is known. */
export function wishOf(action: HolderAction, passportId: number | null): string {
  const record = passportId === null ? "the record" : `passport ${passportId}`;
  const wishes: Readonly<Record<HolderAction, string>> = {
    see: `See what is stored about ${record}`,
    hide: `Hide ${record}`,
    unhide: `Show ${record} again`,
    erase: `Erase ${record}`,
    withdraw: `Cancel open requests about ${record}`,
  };
  return wishes[action];
}

/** The last step: what is reached. */
export const stepOf = (request: RequestView): string => (hasData(request) ? "Ready" : STEPS[request.state]);

const STEPS: Readonly<Record<RequestState, string>> = {
  received: "Checking",
  unverifiable: "Checking",
  review: "With the operator",
  waiting: "Waiting",
  done: "Done",
  refused: "Refused",
  withdrawn: "Cancelled",
  replaced: "Replaced",
};

/** The state in a few words, and what it means. */
export type Words = { heading: string; text: Safe };

export function describeState(site: HolderSite, request: RequestView, signed: Signed | null, now: Date): Words {
  const { action, state, note, dueAt } = request;
  const inWords = (heading: string, text: string | Safe): Words => ({ heading, text: html`<p dir="auto">${text}</p>` });
  switch (state) {
    case "received":
      return inWords(
        "We check your wallet",
        `Your signature is valid. We now check that this wallet belongs to the passport${site.mode === "review" ? "; then the operator decides" : ""}. It usually takes seconds.`,
      );
    case "unverifiable":
      return inWords("We cannot check your wallet at the moment", note ?? "This server tries again for 7 days.");
    case "review":
      return inWords(
        "The operator decides",
        html`${note} You need not wait here: come back with the receipt. If nothing happens for long, ${orWriteToOperator(site.settings.operator)} Do not send the code.`,
      );
    case "waiting":
      return inWords(
        `Hidden now, erased ${dueAt === null ? "later" : formatLeft(dueAt, now)}`,
        html`Your record is not shown any more. ${dueAt === null ? "Later" : html`On ${moment(dueAt)}`} it is deleted, and nobody can undo that.`,
      );
    case "done":
      return doneWords(request, signed);
    case "refused":
      return refusedWords(site, request);
    case "withdrawn":
      return inWords(
        "Cancelled",
        action === "erase"
          ? "The erasure will not happen. The record is shown again, unless it was hidden before you asked."
          : "Nothing happens. What the request had changed is as it was before.",
      );
    case "replaced":
      return inWords("Replaced by a later request", "A later request of yours, or of the main wallet, took its place.");
  }
}

/** `21 November 2026, 11:05 UTC`. */
export const moment = (date: Date): Safe =>
  html`<time datetime="${date.toISOString()}">${formatDay(date)}, ${formatTime(date)}</time>`;

function doneWords(request: RequestView, signed: Signed | null): Words {
  const { action, note, availableUntil } = request;
  const name = signed === null ? "the passport" : `passport ${signed.passportId}`;
  const words: Readonly<Record<HolderAction, [heading: string, text: string | Safe]>> = {
    hide: [
      "Done: your record is hidden",
      html`The API and these pages answer as if ${name} had never existed. Copies in caches, also in your browser, remain for two minutes.${signed !== null && html` <b>Remember the number, ${signed.passportId}</b>: a hidden passport is found by its number only.`}`,
    ],
    unhide: ["Done: your record is shown again", "It is shown as before."],
    erase: [
      "Done: your record is erased",
      "What remains: the passport number, your wallets as hashes that only the operator can recognise, and back-ups until they expire.",
    ],
    see:
      availableUntil === null
        ? ["Done: the copy was deleted", "A copy is kept for 24 hours. Ask again if you need it."]
        : [
            "Your data is ready",
            html`Until ${moment(availableUntil)}. Then this copy is deleted; your record stays as it is.`,
          ],
    withdraw: [
      "Done: your requests are cancelled",
      "Nothing will be erased. The record is shown again, unless it was hidden before you asked.",
    ],
  };
  const [heading, text] = words[action];
  return { heading, text: html`<p dir="auto">${note ?? text}</p>` };
}

function refusedWords({ settings }: HolderSite, request: RequestView): Words {
  const { note, isRefusedForMain } = request;
  const contact = orWriteToOperator(settings.operator);
  if (isRefusedForMain) {
    return {
      heading: "Refused: not the main wallet",
      text: html`<p>Only the main wallet of the record can ask for this. Nothing was changed.</p>
<p class="small soft">Any wallet of the passport can hide it. If the main wallet is not yours any more, ${contact}</p>`,
    };
  }
  if (isUnlisted(request)) {
    const reason = (note ?? "The passport does not list this wallet.")
      .replace(/\.$/, "")
      .replace(/^[PT]/, (first) => first.toLowerCase());
    return {
      heading: `Refused: ${reason}`,
      text: html`<p>The number or the wallet is not the right one. Nothing was changed. We delete this entry after 24 hours.</p>
<p class="small soft">If none of its wallets is yours any more, ${contact}</p>`,
    };
  }
  return {
    heading: "Refused",
    text: html`<p dir="auto">${note}</p>
<p class="small soft">If that is not right, ${contact} Do not send the code.</p>`,
  };
}
