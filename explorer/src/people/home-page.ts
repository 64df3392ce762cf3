import type { PassportList } from "@credence/contract/answers.ts";
import type { Passport } from "@credence/contract/passport.ts";
import { formatDay, formatMoment } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { time } from "../layout.ts";
import { axis, bar, rect } from "./bars.ts";
import { isLong, tenths, whole } from "./figures.ts";
import { nameText } from "./names.ts";
import { peoplePage, type Site } from "./page-head.ts";
import { type Scale, scaleOf } from "./scale.ts";
import { searchForm } from "./search-form.ts";

/** The age of the data. Null: no person has a date. */
export type DataAge = { builtAt: Date; newestScoreAt: Date | null; oldestScoreAt: Date | null };
export type HomeView = { list: PassportList; age: DataAge };

const TOP = 10;

export function homePage(site: Site, { list, age }: HomeView): Safe {
  return peoplePage(site, {
    path: "/",
    title: "Passports and credentials",
    description: "Look up a person’s professional reputation record by name, wallet or passport number.",
    hasSearch: false,
    main: html`<section>
<h1>Look up a passport</h1>
${searchForm(site)}
<p>A passport is a person’s professional reputation record: a score, what it is made of, and the wallets and profiles it was calculated from. This server keeps the records of the first version, V1, available to people and programs.</p>
</section>
${list.pagination.total === 0 ? EMPTY : overview(site, { list, age })}`,
  });
}

const EMPTY = html`<section>
<h2>Nobody is here yet</h2>
<p>This server has no passports. If you run it, import some:</p>
<pre><code>credence import ./snapshot</code></pre>
<p class="small soft">To look around with invented people, run <code>credence demo</code>.</p>
</section>`;

function overview({ links, settings }: Site, { list, age }: HomeView): Safe {
  const { total } = list.pagination;
  return html`<div class="cols">
<section aria-labelledby="top">
<div class="head"><h2 id="top">Highest scores</h2><a href="${links.to("/leaderboard")}">See all: ${whole(total)}</a></div>
${topBars(links.to, list.passports.slice(0, TOP))}
</section>
<aside aria-label="About the data">
<section class="box">
<h2>How old is this?</h2>
<dl class="facts">
<dt>People listed</dt><dd>${whole(total)}</dd>
<dt>List built</dt><dd><time datetime="${age.builtAt.toISOString()}">${formatMoment(age.builtAt)}</time></dd>
<dt>Newest score</dt><dd>${dayOrNothing(age.newestScoreAt)}</dd>
<dt>Oldest score</dt><dd>${dayOrNothing(age.oldestScoreAt)}</dd>
</dl>
</section>
<section class="box">
<h2>V1 is deprecated</h2>
<p>It still responds, and nothing that you see here goes away today. Scores and profiles may be out of date. ${settings.sunsetAt !== null && html`V1 ends on ${time(settings.sunsetAt)}.`}</p>
<p><a href="${links.deprecation}">Dates, and what to do</a></p>
</section>
<section class="box">
<h2>Is one of them you?</h2>
<p>You can ask what is stored about you, and have it hidden or erased.</p>
<p><a href="${links.holder}">Your record</a></p>
</section>
</aside>
</div>`;
}

const dayOrNothing = (date: Date | null): Safe =>
  date === null ? html`not given` : html`<time datetime="${date.toISOString()}">${formatDay(date)}</time>`;

function topBars(to: Site["links"]["to"], passports: readonly Passport[]): Safe {
  const scores = passports.map(({ score }) => score ?? 0);
  const scale = scaleOf(scores);
  return html`<div class="fit"><ol class="rows people${isLong(scores) && " long"}">
${axis(scale)}${passports.map((passport, at) => topRow(to, passport, at + 1, scale))}</ol></div>`;
}

const topRow = (
  to: Site["links"]["to"],
  passport: Passport,
  rank: number,
  scale: Scale,
): Safe => html`<li class="row"><span class="name"><span class="rank">${rank}</span> <a href="${to(`/passports/${passport.passport_id}`)}">${nameText(passport)}</a></span>${bar([rect("f", 0, passport.score ?? 0, scale)])}<span class="fig">${passport.score === null ? "no score" : html`<b>${tenths(passport.score)}</b>`}</span></li>
`;
