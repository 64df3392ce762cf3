import type { PassportList } from "@credence/contract/answers.ts";
import type { Passport } from "@credence/contract/passport.ts";
import { formatDay, formatMoment } from "../dates.ts";
import { outageEnd } from "../frame.ts";
import { html, type Safe } from "../html.ts";
import { time } from "../layout.ts";
import { axis, bar, rect } from "./bars.ts";
import { type Distribution, describeScores, distributionChart, type ListInfo } from "./distribution.ts";
import { isLong, tenths, whole } from "./figures.ts";
import { clip, nameText, shortWallet, visibleName } from "./names.ts";
import { peoplePage, type Site } from "./page-head.ts";
import { type Scale, scaleOf } from "./scale.ts";
import { searchForm } from "./search-page.ts";

export type HomeView = {
  list: PassportList;
  /** Of the people of the list, if they are not consecutive. */
  ranks: readonly number[] | null;
  info: ListInfo;
};

const TOP = 10;

export function homePage(site: Site, view: HomeView): Safe {
  const { list, info } = view;
  const { name } = site.settings.operator;
  return peoplePage(site, {
    path: "/",
    title: "Reputation scores of people",
    description: `Look up the reputation score of a person by name, wallet or passport number.${name === null ? "" : ` Run by ${name}.`}`,
    hasSearch: false,
    hasStrip: false,
    builtAt: info.builtAt,
    main: html`<section class="intro">
<h1>Reputation scores of people</h1>
<p>Each person here has a passport: a score, and the wallets, profiles and work that it was calculated from. The scores are those of a service called V1. ${name === null ? "This server" : html`<b><bdi>${name}</bdi></b>`} keeps them available. <a href="${site.links.about}">About this server</a></p>
${searchForm(site, "", examples(site, list.passports))}
</section>
${list.pagination.total === 0 ? EMPTY : overview(site, view)}`,
  });
}

/** A name and a wallet of the list, as links. */
function examples({ links }: Site, [first, second]: readonly Passport[]): Safe | null {
  const name = first && searchableName(first);
  const wallet = second?.main_wallet;
  const found = [
    ...(name
      ? [
          html`<a href="${links.to(`/search?q=${encodeURIComponent(name)}`)}"><bdi>${clip(name, EXAMPLE_LENGTH)}</bdi></a>`,
        ]
      : []),
    ...(wallet
      ? [html`<a href="${links.to(`/passports/${second.passport_id}`)}"><code>${shortWallet(wallet)}</code></a>`]
      : []),
  ];
  return found.length === 0
    ? null
    : html`<p class="small">For example ${found[0]}${found.length > 1 && html` or ${found[1]}`}</p>\n`;
}

const EXAMPLE_LENGTH = 24;

/** Null for a name that a search does not find, or takes for a number or a wallet. */
function searchableName(passport: Passport): string | null {
  const name = visibleName(passport);
  return name === null || /^(?:\d+|\S{25,})$/.test(name) || [...name].length > MAX_SEARCHED ? null : name;
}

const MAX_SEARCHED = 100;

const allScores = (distribution: Distribution): Safe => html`<section aria-labelledby="all">
<h2 id="all">All scores</h2>
${distributionChart(distribution, null, 64)}
<p class="small">${describeScores(distribution)}</p>
</section>
`;

const EMPTY = html`<section>
<h2>Nobody is here yet</h2>
<p>This server has no passports. If you run it, import some:</p>
<pre><code>credence import ./snapshot</code></pre>
<p class="small soft">To look around with invented people, run <code>credence demo</code>.</p>
</section>`;

function overview(site: Site, { list, ranks, info }: HomeView): Safe {
  const { links } = site;
  const { total } = list.pagination;
  return html`<div class="cols">
<section aria-labelledby="top">
<div class="head"><h2 id="top">Highest scores</h2><a href="${links.to("/leaderboard")}">See all ${whole(total)}</a></div>
${topBars(links.to, list.passports.slice(0, TOP), ranks)}
</section>
<aside class="quiet" aria-label="About the data">
${site.outage !== null && outageSection(site, site.outage)}${info.distribution !== null && allScores(info.distribution)}<section aria-labelledby="age">
<h2 id="age">How old is this?</h2>
<p class="small">${agesOf(info)} The list was built on <time datetime="${info.builtAt.toISOString()}">${formatMoment(info.builtAt)}</time>.</p>
</section>
${site.outage === null && deprecationSection(site)}<section aria-labelledby="you">
<h2 id="you">Is one of them you?</h2>
<p class="small">See what is stored about you, or have it hidden or erased. <a href="${links.holder}">Your record</a></p>
</section>
</aside>
</div>`;
}

function agesOf({ newestScoreAt, oldestScoreAt }: ListInfo): Safe {
  if (newestScoreAt === null || oldestScoreAt === null) return html`V1 does not say when the scores were calculated.`;
  const day = (date: Date): Safe => html`<time datetime="${date.toISOString()}">${formatDay(date)}</time>`;
  return formatDay(newestScoreAt) === formatDay(oldestScoreAt)
    ? html`The scores were calculated on ${day(newestScoreAt)}.`
    : html`The scores were calculated between ${day(oldestScoreAt)} and ${day(newestScoreAt)}.`;
}

const deprecationSection = ({ settings, links }: Site): Safe => html`<section aria-labelledby="v1">
<h2 id="v1">V1 is deprecated</h2>
<p class="small">V1 is unsupported since ${time(settings.deprecatedAt)}, and its data may be out of date.${settings.sunsetAt !== null && html` These pages and the API end on ${time(settings.sunsetAt)}.`} <a href="${links.deprecation}">Dates, and what to do</a></p>
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

function topBars(to: Site["links"]["to"], passports: readonly Passport[], ranks: HomeView["ranks"]): Safe {
  const scores = passports.map(({ score }) => score ?? 0);
  const scale = scaleOf(scores);
  return html`<div class="fit"><ol class="rows people${isLong(scores) && " long"}">
${axis(scale)}${passports.map((passport, index) => topRow(to, passport, ranks?.[index] ?? index + 1, scale))}</ol></div>`;
}

const topRow = (
  to: Site["links"]["to"],
  passport: Passport,
  rank: number,
  scale: Scale,
): Safe => html`<li class="row"><span class="name"><span class="rank">${rank}</span> <a href="${to(`/passports/${passport.passport_id}`)}">${nameText(passport)}</a></span>${bar([rect("f", 0, passport.score ?? 0, scale)])}<span class="fig">${passport.score === null ? "no score" : html`<b>${tenths(passport.score)}</b>`}</span></li>
`;
