import type { PassportList } from "@credence/contract/answers.ts";
import type { Passport } from "@credence/contract/passport.ts";
import { formatShortDay } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { tenths, whole } from "./figures.ts";
import { clip, nameText, SHORT_QUERY, shortWallet } from "./names.ts";
import { peoplePage, type Site } from "./page-head.ts";
import { listLink, listPath, pageLinks } from "./page-links.ts";

export type SearchView = {
  query: string;
  /** Null if nothing was searched for, or if the query is a wallet that nobody lists. */
  list: PassportList | null;
};

/** People whose name contains a text. A whole wallet or a number never gets here if it is found. */
export function searchPage(site: Site, { query, list }: SearchView): Safe {
  return peoplePage(site, {
    path: listPath("/search", "q", query, list?.pagination.current_page ?? 1),
    title: "Search",
    description: "Find a passport by name, wallet or passport number.",
    hasSearch: false,
    main: html`<section>
<h1>Search</h1>
${searchForm(site, query)}
<p class="small soft">A whole wallet address or a passport number leads straight to its passport. Any other text is searched for in names, whatever its case and accents.</p>
</section>
${list === null ? query !== "" && unknownWallet(query) : results(site, query, list)}`,
  });
}

const unknownWallet = (wallet: string): Safe => html`<section aria-labelledby="results">
<h2 id="results">No passport lists this wallet</h2>
<p><code class="all"><bdi>${wallet}</bdi></code></p>
<p>It may belong to someone without a passport, or to someone who is not shown. Check that nothing is missing at the end.</p>
</section>`;

function results(site: Site, query: string, { passports, pagination }: PassportList): Safe {
  const { current_page, last_page, total } = pagination;
  const to = listLink(site.links.to("/search"), "q", query);
  if (passports.length === 0 && current_page <= last_page) return nothingFound(site, query);
  const count = total === 1 ? "1 person has" : `${whole(total)} people have`;
  return html`<section aria-labelledby="results">
<h2 id="results">${count} “<bdi>${clip(query, SHORT_QUERY)}</bdi>” in their name</h2>
<p class="note"><b>A name is not an identity.</b> Anyone can choose any name, and several people can share one. To be sure who it is, compare the whole wallet address with the address that the person gave you.</p>
${passports.length === 0 && html`<p>This page does not exist. The last page is <a href="${to(last_page)}">page ${whole(last_page)}</a>.</p>`}
<ol class="plain-list">
${passports.map((passport) => hit(site, passport))}</ol>
${pageLinks(pagination, to)}</section>`;
}

const nothingFound = ({ links }: Site, query: string): Safe => html`<section aria-labelledby="results">
<h2 id="results">Nobody has “<bdi>${clip(query, SHORT_QUERY)}</bdi>” in their name</h2>
<p>Names are searched as they are written: try a shorter part of the name, or another spelling. People who asked to be hidden are not found.</p>
<p>A wallet address has to be complete. Its short form, such as <code>0xcdb3…1e8c</code>, finds nothing.</p>
<p><a href="${links.to("/leaderboard")}">See everyone who is listed</a></p>
</section>`;

/** Passport number and wallet are next to the name, to tell people apart. */
function hit({ links }: Site, passport: Passport): Safe {
  const { passport_id, score, main_wallet, human_checkmark, last_calculated_at, passport_profile } = passport;
  const facts = [
    html`Passport ${passport_id}`,
    main_wallet === null ? html`no main wallet` : html`main wallet <code><bdi>${shortWallet(main_wallet)}</bdi></code>`,
    ...(human_checkmark ? [html`human check passed`] : []),
    ...passport_profile.tags.slice(0, MAX_TAGS).map((tag) => html`<bdi>${tag}</bdi>`),
  ];
  return html`<li class="hit">
<div class="head"><h3><a href="${links.to(`/passports/${passport_id}`)}">${nameText(passport)}</a></h3><span class="fig">${score === null ? "no score" : html`<b>${tenths(score)}</b> points`}</span></div>
<p class="small soft">${facts.map((fact, index) => html`${index > 0 && ", "}${fact}`)}.${
    last_calculated_at !== null &&
    html` As of <time datetime="${last_calculated_at}">${formatShortDay(new Date(last_calculated_at))}</time>.`
  }</p>
</li>
`;
}

const MAX_TAGS = 5;

/** The large search field of the home and search pages. */
export const searchForm = (
  { links }: Pick<Site, "links">,
  query = "",
  below: Safe | null = null,
): Safe => html`<form class="stack" role="search" aria-label="Find a passport" action="${links.to("/search")}">
<label for="q">Find someone by name, wallet address or passport number</label>
<div class="find large">
<input id="q" type="search" name="q" autocomplete="off" spellcheck="false" dir="auto" value="${query}">
<button>Find</button>
</div>
${below}</form>`;
