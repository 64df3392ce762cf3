import type { PassportDetail } from "@credence/contract/passport.ts";
import { formatDay } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { hundredths } from "./figures.ts";
import { clip, LONG_NAME, nameText, visibleName } from "./names.ts";
import type { Site } from "./page-head.ts";
import { partsOfScore } from "./score-card.ts";

/** Where a merged record went. Null: the data does not say, or that record is not shown. */
export function mergedCard({ links }: Site, target: PassportDetail | null): Safe {
  if (target === null) {
    return html`<section class="card" aria-labelledby="into">
<h2 id="into">Merged into another record. The data does not say which.</h2>
<p>If you know the name, <a href="${links.to("/search")}">search for it</a>. Below is this record as it was.</p>
</section>`;
  }
  const { passport_id, score, main_wallet } = target;
  const name = visibleName(target);
  const page = links.to(`/passports/${passport_id}`);
  return html`<section class="card" aria-labelledby="into">
<div class="head"><div class="stack tight"><p class="over">Merged into</p>
<h2 id="into" class="as-h1"><a href="${page}">${name === null ? nameText(target) : html`<bdi>${clip(name, LONG_NAME)}</bdi>`}</a></h2>
<p>Passport ${passport_id}, ${score === null ? "no score" : `${hundredths(score)} points`}${main_wallet !== null && html`, <code class="mono">${main_wallet}</code>`}</p></div>
<a class="button" href="${page}">Open passport ${passport_id}</a></div>
<p class="small soft">Its wallets now find that record. Below is this one as it was.</p>
</section>`;
}

/** The score of a merged record. It has no place in the list. */
export function mergedScore(passport: PassportDetail): Safe {
  const { score, last_calculated_at: at } = passport;
  return html`<section aria-labelledby="was">
<h2 id="was">The record as it was</h2>
<div class="head"><p><b>${score === null ? "No score" : `${hundredths(score)} points`}</b>${at !== null && html`, <time datetime="${at}">${formatDay(new Date(at))}</time>`}</p><span class="fig">not ranked any more</span></div>
${partsOfScore(passport)}
</section>`;
}
