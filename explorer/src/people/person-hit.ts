import type { Passport } from "@credence/contract/passport.ts";
import { formatShortDay } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { tenths } from "./figures.ts";
import { nameText } from "./names.ts";
import type { Site } from "./page-head.ts";

/** A person whom a name may mean. The whole wallet tells people apart: a short form can be imitated. */
export function personHit({ links }: Pick<Site, "links">, passport: Passport, action: Safe): Safe {
  const { passport_id, score, main_wallet, human_checkmark, last_calculated_at: at } = passport;
  return html`<li class="stack tight">
<div class="head"><h3><a href="${links.to(`/passports/${passport_id}`)}">${nameText(passport)}</a></h3><span class="fig">${score === null ? "no score" : html`<b>${tenths(score)}</b> points`}</span></div>
<p class="small soft">${main_wallet !== null && html`<code class="mono all">${main_wallet}</code><br>`}Passport ${passport_id}${human_checkmark && ", human check passed"}${at !== null && html`, score of <time datetime="${at}">${formatShortDay(new Date(at))}</time>`}</p>
${action}</li>
`;
}
