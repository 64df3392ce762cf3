import { formatSpan } from "../dates.ts";
import type { Frame } from "../frame.ts";
import { html, type Link, type Safe } from "../html.ts";
import { layout } from "../layout.ts";
import type { Operator } from "../settings.ts";
import { contactLink } from "../site/about-page.ts";

/** What pages for holders show beside the request. */
export type HolderSite = Frame & {
  /** `off`: this server accepts no requests. `review`: the operator decides on each of them. */
  mode: "off" | "review" | "on";
  /** Between the request and the erasure. */
  graceMs: number;
  /** In the demo: the wallet that the server signs with, and its passport. */
  demoHolder: { passportId: number; address: string } | null;
};

export type HolderAction = "hide" | "unhide" | "erase" | "see" | "withdraw";

/** The steps of a request above its page. The last one says what is reached. */
export const steps = (current: 1 | 2 | 3, names: readonly string[] = ["Ask", "Sign", "Result"]): Safe =>
  html`<ol class="prog" aria-label="Steps">${names.map((name, index) => html`<li${index + 1 === current && html` aria-current="step"`}>${index + 1}. ${name}</li>`)}</ol>`;

/** What happens, in a sentence or two. */
export function effectOf(site: HolderSite, action: HolderAction): string {
  const effects: Readonly<Record<HolderAction, string>> = {
    see: "On a page and as a file, with every change of the score in the last 90 days.",
    hide: "Nothing is shown any more, everything stays stored. You can undo this.",
    unhide: "Undoes hiding.",
    withdraw:
      "This ends your requests that are not done yet, such as an erasure. The main wallet also ends those of other wallets.",
    erase: `Hidden at once, erased after ${formatSpan(site.graceMs)}. Until then you can cancel, later nobody can undo it.`,
  };
  return effects[action];
}

/** Only the main wallet can ask for these. */
export const needsMainWallet = (action: HolderAction): boolean => action === "see" || action === "erase";

/** Step 1, or step 2 if passport, wallet and wish are given. All of them are public. */
export function askLink(
  { links }: HolderSite,
  fields: { edit?: "form"; passport?: number | string | undefined; wallet?: string | undefined; want?: HolderAction },
): Link {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.append(name, String(value));
  return query.size === 0 ? links.holder : links.to(`/holder?${query}`);
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

/** The same after a comma. */
export const orWriteToOperator = ({ contact }: Operator): Safe =>
  contact === null ? html`ask the operator: this server names no contact.` : html`write to ${contactLink(contact)}.`;
