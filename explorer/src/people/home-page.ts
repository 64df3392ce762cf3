import type { PassportList } from "@credence/contract/answers.ts";
import type { Passport } from "@credence/contract/passport.ts";
import { formatDay, lastFullDay } from "../dates.ts";
import { outageEnd } from "../frame.ts";
import { html, type Safe } from "../html.ts";
import { endTime, time } from "../layout.ts";
import { curl } from "../site-links.ts";
import { comparePath } from "./compare-page.ts";
import {
  type Distribution,
  describeScores,
  distributionChart,
  isOldList,
  type ListInfo,
  scorePeriod,
} from "./distribution.ts";
import { tenths, whole } from "./figures.ts";
import { isolated, nameText, visibleName } from "./names.ts";
import { peoplePage, type Site } from "./page-head.ts";
import { PARTS, partsBarOn, swatch } from "./parts.ts";
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
  const period = scorePeriod(info);
  return peoplePage(site, {
    path: "/",
    title: "Reputation scores of people",
    description: `Look up the reputation score of a person by name, wallet or passport number.${name === null ? "" : ` Run by ${name}.`}`,
    hasSearch: false,
    hasStrip: false,
    builtAt: info.builtAt,
    main: html`<section class="card"><div class="cols wide">
<section aria-labelledby="what">
<h1 id="what">Reputation scores of people</h1>
<p>The scores ${period !== null && `are of ${period}, and `}come from a reputation service whose first API (V1) is deprecated. ${name === null ? "This server" : html`<b><bdi>${name}</bdi></b>`} keeps them available. <a href="${site.links.about}">About this server</a></p>
${searchForm(site, "", examples(site, list.passports))}
${list.pagination.total > 0 && html`<p class="pills"><span class="pill">${list.pagination.total === 1 ? "1 person" : `${whole(list.pagination.total)} people`}</span>${isOldList(info) && html`<span class="pill old">No newer scores</span>`}</p>`}
</section>
<section aria-labelledby="you">
<h2 id="you">Is it you?</h2>
<p class="small">See why the score is what it is. Have it hidden or erased.</p>
<p class="acts"><a class="button" href="${site.links.holder}">Your record</a></p>
</section>
</div></section>
${list.pagination.total === 0 ? EMPTY : overview(site, view)}`,
  });
}

/** A name of the list, a comparison and the list, as links. */
function examples({ links }: Site, passports: readonly Passport[]): Safe | null {
  const [first] = passports;
  if (first === undefined) return null;
  const name = searchableName(first);
  const ids = passports.slice(0, COMPARED).map(({ passport_id }) => passport_id);
  return html`<p class="small">For example ${
    name !== null &&
    html`<a href="${links.to(`/search?q=${encodeURIComponent(name)}`)}">${isolated(name, EXAMPLE_LENGTH)}</a>, `
  }${ids.length > 1 && html`<a href="${links.to(comparePath(ids))}">a comparison</a> or `}<a href="${links.to("/leaderboard")}">everyone by score</a></p>
`;
}

const COMPARED = 3;
const EXAMPLE_LENGTH = 24;

/** Null for a name that a search does not find, or takes for a number or a wallet. */
function searchableName(passport: Passport): string | null {
  const name = visibleName(passport);
  return name === null || /^(?:\d+|\S{25,})$/.test(name) || [...name].length > MAX_SEARCHED ? null : name;
}

const MAX_SEARCHED = 100;

const allScores = (distribution: Distribution): Safe => html`<section aria-labelledby="all">
<h2 id="all">All scores</h2>
${distributionChart(distribution, null, 56)}
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
  return html`<div class="cols wide">
<section aria-labelledby="top">
<div class="head"><h2 id="top">Highest scores</h2><a href="${links.to("/leaderboard")}">See all ${whole(total)}</a></div>
${topList(links.to, list.passports.slice(0, TOP), ranks)}
</section>
<aside class="quiet" aria-label="About the data">
${site.outage !== null && outageSection(site, site.outage)}${info.distribution !== null && allScores(info.distribution)}${forPrograms(site, list.passports)}${site.outage === null && endSection(site)}</aside>
</div>`;
}

const forPrograms = ({ settings, links }: Site, [first]: readonly Passport[]): Safe | false =>
  first !== undefined &&
  html`<section aria-labelledby="programs">
<h2 id="programs">For programs</h2>
<pre><code>${curl(`${settings.publicUrl}/api/v1/passports/${first.passport_id}`, settings.authMode === "required")}</code></pre>
<p class="small">Three addresses, JSON, ${settings.authMode === "required" ? "with a key" : "no key"}. <a href="${links.docs}">API reference</a></p>
</section>
`;

function endSection({ settings, links }: Site): Safe {
  const { sunsetAt, deprecatedAt } = settings;
  const more = html`<a href="${links.deprecation}">Dates, and what to do</a>`;
  if (sunsetAt === null)
    return html`<section aria-labelledby="v1">
<h2 id="v1">V1 is deprecated</h2>
<p class="small">V1 is unsupported since ${time(deprecatedAt)}, and its data may be out of date. ${more}</p>
</section>
`;
  const day = lastFullDay(sunsetAt);
  return html`<section aria-labelledby="v1">
<h2 id="v1">V1 ends</h2>
<p class="small">The API and the pages about people end on ${endTime(sunsetAt)}${day !== null && html`; the last full day is ${formatDay(day)}`}. ${more}</p>
</section>
`;
}

const outageSection = (
  { settings, links }: Site,
  outage: NonNullable<Site["outage"]>,
): Safe => html`<section class="note" aria-labelledby="v1">
<h2 id="v1">The API is off until ${outageEnd(outage)}</h2>
<p class="small">Programs get an error until then. These pages go on working. It is a planned short outage (brownout)${settings.sunsetAt !== null && html`: V1 ends for good on ${endTime(settings.sunsetAt)}`}. <a href="${links.deprecation}">Dates, and what to do</a></p>
</section>
`;

function topList(to: Site["links"]["to"], passports: readonly Passport[], ranks: HomeView["ranks"]): Safe {
  const scale = { end: Math.max(1e-6, ...passports.map(({ score }) => score ?? 0)) };
  return html`<ol class="plain-list full">
${passports.map(
  (
    passport,
    index,
  ) => html`<li><div class="head"><span class="name"><span class="rank">${ranks?.[index] ?? index + 1}</span> <a href="${to(`/passports/${passport.passport_id}`)}">${nameText(passport)}</a></span><span class="fig">${passport.score === null ? "no score" : html`<b>${tenths(passport.score)}</b>`}</span></div>${partsBarOn(scale, passport)}</li>
`,
)}</ol>
<ul class="key">${PARTS.map(({ name, tint }) => html`<li>${swatch(tint)}${name}</li>`)}</ul>`;
}
