import { formatSpan } from "../dates.ts";
import type { Frame } from "../frame.ts";
import { html, type Link, type Safe } from "../html.ts";
import { layout } from "../layout.ts";
import type { Operator } from "../settings.ts";
import { contactLink } from "../site/about-page.ts";

export type Wish = "hide" | "show" | "erase";

/** What pages for holders show beside the request. */
export type HolderSite = Frame & {
  /** `off`: this server accepts no requests. `review`: the operator decides on each of them. */
  mode: "off" | "review" | "on";
  /** Between the request and the erasure. */
  graceMs: number;
  /** In the demo: the wallet that the server signs with, and its passport. */
  demoHolder: { passportId: number; address: string } | null;
};

/** The steps of a request above its page. The last one says what is reached. */
export const steps = (current: 1 | 2 | 3, last = "Result"): Safe =>
  html`<ol class="prog" aria-label="Steps">${["Ask", "Sign", last].map((name, index) => html`<li${index + 1 === current && html` aria-current="step"`}>${index + 1}. ${name}</li>`)}</ol>`;

/** What happens, in a sentence or two. */
export function effectOf(site: HolderSite, wish: Wish): string {
  const effects: Readonly<Record<Wish, string>> = {
    hide: "Nothing is shown any more, everything stays stored. You can undo this.",
    show: "Undoes your hiding, and cancels an erasure that waits.",
    erase: `Hidden at once, erased after ${formatSpan(site.graceMs)}. Until then “show again” cancels it, later nobody can undo it.`,
  };
  return `${site.mode === "review" ? "The operator decides. " : ""}${effects[wish]}`;
}

/** Step 1, or step 2 if wallet and wish are given. Both are public. */
export function askLink({ links }: HolderSite, fields: { edit?: "form"; wallet?: string; want?: Wish }): Link {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.append(name, value);
  return query.size === 0 ? links.holder : links.to(`/holder?${query}`);
}

type HolderPage = { title: string; main: Safe; hasWalletScript?: boolean; refreshSeconds?: number | null };

/** Works after the end of V1 too, so it has no strip. */
export function holderPage(
  site: HolderSite,
  { title, main, hasWalletScript = false, refreshSeconds }: HolderPage,
): Safe {
  return layout(site, {
    title: `${title}: Credence`,
    description: "Have your record hidden, shown again or erased.",
    current: "holder",
    head: html`<meta name="robots" content="noindex">
${hasWalletScript && html`<script src="${site.links.holderScript}" defer></script>\n`}${refreshSeconds ? html`<meta http-equiv="refresh" content="${refreshSeconds}">\n` : false}`,
    hasStrip: false,
    main,
  });
}

/** How to reach the operator, as the end of a sentence. */
export const writeToOperator = ({ contact }: Operator): Safe =>
  contact === null
    ? html`This server names no contact: ask where you found its address.`
    : html`Write to ${contactLink(contact)}.`;
