import type { PassportList } from "@credence/contract/answers.ts";
import type { Passport } from "@credence/contract/passport.ts";
import { html, type Safe } from "../html.ts";
import { whole } from "./figures.ts";
import { isolated, nameText, SHORT_QUERY } from "./names.ts";
import { peoplePage, type Site } from "./page-head.ts";
import { listLink, listPath, pageLinks } from "./page-links.ts";
import { personHit } from "./person-hit.ts";

export type SearchView = {
  query: string;
  /** Null if nothing was searched for, or if the query is a wallet that nobody lists. */
  list: PassportList | null;
};

/** People whose name contains a text. A whole wallet or a number never gets here if it is found. */
export function searchPage(site: Site, { query, list }: SearchView): Safe {
  const hasHits = list !== null && list.passports.length > 0;
  return peoplePage(site, {
    path: listPath("/search", "q", query, list?.pagination.current_page ?? 1),
    title: "Search",
    description: "Find a passport by name, wallet or passport number.",
    hasSearch: false,
    main: html`<section class="card"><h1 class="vh">Search</h1>
${searchForm(site, query)}
${list === null ? query !== "" && unknownWallet(query) : results(site, query, list)}</section>
${hasHits && html`<p class="small soft">A name is not an identity: anyone can choose any name. Compare the whole address with the one that the person gave you.</p>`}`,
  });
}

const unknownWallet = (wallet: string): Safe => html`<div class="stack tight"><h2>No passport lists this wallet</h2>
<p><code class="mono all"><bdi>${wallet}</bdi></code></p>
<p>It may belong to someone without a passport, or to someone who is not shown. Check that nothing is missing at the end.</p></div>`;

function results(site: Site, query: string, { passports, pagination }: PassportList): Safe {
  const { current_page, last_page, total } = pagination;
  const to = listLink(site.links.to("/search"), "q", query);
  if (passports.length === 0 && current_page <= last_page) return nothingFound(site, query);
  const count = total === 1 ? "1 person has" : `${whole(total)} people have`;
  const heading = html`<h2 id="results">${count} “${isolated(query, SHORT_QUERY)}” in their name</h2>`;
  if (passports.length === 0)
    return html`<div class="stack tight">${heading}
<p>This page does not exist. The last page is <a href="${to(last_page)}">page ${whole(last_page)}</a>.</p></div>`;
  return html`<form class="stack" action="${site.links.to("/compare")}">
<div class="head">${heading}${passports.length > 1 && html`<button class="ghost">Compare the chosen</button>`}</div>
<ol class="plain-list full">
${passports.map((passport) => personHit(site, passport, passports.length > 1 ? choice(passport) : html``))}</ol>
</form>
${pageLinks(pagination, to)}`;
}

const choice = (passport: Passport): Safe =>
  html`<p class="acts"><label class="button ghost"><input type="checkbox" name="${passport.passport_id}"><span>Compare<span class="vh"> ${nameText(passport)}, passport ${passport.passport_id}</span></span></label></p>`;

const nothingFound = (
  { links }: Site,
  query: string,
): Safe => html`<div class="stack tight"><h2>Nobody has “${isolated(query, SHORT_QUERY)}” in their name</h2>
<p>Names are searched as they are written: try a shorter part of the name, or another spelling. People who asked to be hidden are not found. Is it you? <a href="${links.holder}">Your record</a></p>
<p>A wallet address has to be complete. Its short form, such as <code>0xcdb3…1e8c</code>, finds nothing.</p>
<p><a href="${links.to("/leaderboard")}">See everyone who is listed</a></p></div>`;

/** The large search field of the home and search pages. */
export const searchForm = (
  { links }: Pick<Site, "links">,
  query = "",
  below: Safe | null = null,
): Safe => html`<form class="stack tight" role="search" aria-label="Find a passport" action="${links.to("/search")}">
<label for="q">Name, wallet or passport number</label>
<div class="find large">
<input id="q" type="search" name="q" autocomplete="off" spellcheck="false" dir="auto" value="${query}">
<button>Find</button>
</div>
${below}</form>`;
