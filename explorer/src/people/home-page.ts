import type { PassportList } from "@credence/contract/answers.ts";
import type { Passport } from "@credence/contract/passport.ts";
import { formatDay, formatMoment } from "../dates.ts";
import { outageEnd } from "../frame.ts";
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
  const { name } = site.settings.operator;
  return peoplePage(site, {
    path: "/",
    title: "Reputation scores of people",
    description: `Look up the reputation score of a person by name, wallet or passport number.${name === null ? "" : ` Run by ${name}.`}`,
    hasSearch: false,
    hasStrip: false,
    builtAt: age.builtAt,
    main: html`<section class="intro">
<h1>Reputation scores of people</h1>
<p>Each person here has a passport: a score, and the wallets, profiles and work that it was calculated from. The scores are those of a service called V1. ${name === null ? "This server" : html`<b><bdi>${name}</bdi></b>`} keeps them available. <a href="${site.links.about}">About this server</a></p>
${searchForm(site)}
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

function overview(site: Site, { list, age }: HomeView): Safe {
  const { links } = site;
  const { total } = list.pagination;
  return html`<div class="cols">
<section aria-labelledby="top">
<div class="head"><h2 id="top">Highest scores</h2><a href="${links.to("/leaderboard")}">See all ${whole(total)}</a></div>
${topBars(links.to, list.passports.slice(0, TOP))}
</section>
<aside class="quiet" aria-label="About the data">
${site.outage !== null && outageSection(site, site.outage)}<section aria-labelledby="age">
<h2 id="age">How old is this?</h2>
<p class="small">${agesOf(age)} The list was built on <time datetime="${age.builtAt.toISOString()}">${formatMoment(age.builtAt)}</time>.</p>
</section>
${site.outage === null && deprecationSection(site)}<section aria-labelledby="you">
<h2 id="you">Is one of them you?</h2>
<p class="small">See what is stored about you, or have it hidden or erased. <a href="${links.holder}">Your record</a></p>
</section>
</aside>
</div>`;
}

function agesOf({ newestScoreAt, oldestScoreAt }: DataAge): Safe {
  if (newestScoreAt === null || oldestScoreAt === null) return html`V1 does not say when the scores were calculated.`;
  const day = (date: Date): Safe => html`<time datetime="${date.toISOString()}">${formatDay(date)}</time>`;
  return formatDay(newestScoreAt) === formatDay(oldestScoreAt)
    ? html`The scores were calculated on ${day(newestScoreAt)}.`
    : html`The scores were calculated between ${day(oldestScoreAt)} and ${day(newestScoreAt)}.`;
}

const deprecationSection = ({ settings, links }: Site): Safe => html`<section aria-labelledby="v1">
<h2 id="v1">V1 is deprecated</h2>
<p class="small">It still responds. Scores and profiles may be out of date.${settings.sunsetAt !== null && html` V1 ends on ${time(settings.sunsetAt)}.`} <a href="${links.deprecation}">Dates, and what to do</a></p>
</section>
`;

const outageSection = (
  { settings, links }: Site,
  outage: NonNullable<Site["outage"]>,
): Safe => html`<section class="note" aria-labelledby="v1">
<h2 id="v1">The API is off until ${outageEnd(outage)}</h2>
<p class="small">Programs get an error until then. These pages go on working. It is a planned short outage (brownout)${settings.sunsetAt !== null && html`: V1 ends for good on ${time(settings.sunsetAt)}`}. <a href="${links.deprecation}">Dates, and what to do</a></p>
</section>
`;

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
