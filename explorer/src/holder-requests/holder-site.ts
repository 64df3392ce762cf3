import { formatSpan } from "../dates.ts";
import type { Frame } from "../frame.ts";
import { html, type Safe } from "../html.ts";
import { layout } from "../layout.ts";
import type { Operator } from "../settings.ts";
import { contactLink } from "../site/about-page.ts";

/** What pages for holders show beside the request. */
export type HolderSite = Frame & {
  /** `off`: this server accepts no requests. `review`: the operator decides on each of them. */
  mode: "off" | "review" | "on";
  /** Between the request and the erasure. */
  graceMs: number;
};

export type HolderAction = "hide" | "unhide" | "erase" | "see" | "withdraw";

/** What a holder asks for, in the words of the form. */
export const ACTION_NAMES: Readonly<Record<HolderAction, string>> = {
  see: "See what is stored",
  hide: "Hide it",
  unhide: "Show it again",
  withdraw: "Withdraw a request",
  erase: "Erase it",
};

/** What happens, in a sentence or two. */
export function effectOf(site: HolderSite, action: HolderAction): string {
  const effects: Readonly<Record<HolderAction, string>> = {
    see: "All of it, and what changed the score in the last 90 days. Needs the main wallet.",
    hide: "Nothing is shown any more, everything stays stored. You can undo this.",
    unhide: "Undoes hiding.",
    withdraw: "It ends what is not done yet. The main wallet ends all requests about the record.",
    erase: `Hidden at once, erased after ${formatSpan(site.graceMs)}. Until then you can withdraw. Needs the main wallet.`,
  };
  return effects[action];
}

type HolderPage = { title: string; main: Safe; hasWalletScript?: boolean };

/** Works after the end of V1 too, so it has no strip. */
export function holderPage(site: HolderSite, { title, main, hasWalletScript = false }: HolderPage): Safe {
  return layout(site, {
    title: `${title}: Credence`,
    description: "See what is stored about you, and have it hidden or erased.",
    current: "holder",
    head: html`<meta name="robots" content="noindex">
${hasWalletScript && html`<script src="${site.links.holderScript}" defer></script>\n`}`,
    hasStrip: false,
    main,
  });
}

/** How to reach the operator, as the end of a sentence. */
export const writeToOperator = ({ contact }: Operator): Safe =>
  contact === null
    ? html`This server names no contact: ask where you found its address.`
    : html`Write to ${contactLink(contact)}.`;
