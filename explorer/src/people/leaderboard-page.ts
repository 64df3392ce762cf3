import type { PassportList } from "@credence/contract/answers.ts";
import { html, type Safe } from "../html.ts";
import { boardTable } from "./board-table.ts";
import {
  agePill,
  countRanks,
  type Distribution,
  describeScores,
  distributionChart,
  type ListInfo,
} from "./distribution.ts";
import { whole } from "./figures.ts";
import { isolated, SHORT_QUERY } from "./names.ts";
import { peoplePage, type Site } from "./page-head.ts";
import { listLink, listPath, pageLinks } from "./page-links.ts";

export type LeaderboardView = {
  list: PassportList;
  /** Of the people of this page, if they are not consecutive. */
  ranks: readonly number[] | null;
  perPage: number;
  keyword: string;
  /** Whether a rank was asked for that nobody has. */
  isPastRanks: boolean;
  info: ListInfo;
};

/** A page of the list, with or without a filter by name. */
export function leaderboardPage(site: Site, view: LeaderboardView): Safe {
  const { list, keyword, info } = view;
  const { current_page, last_page } = list.pagination;
  const isPastTheEnd = current_page > last_page;
  return peoplePage(site, {
    path: listPath("/leaderboard", "keyword", keyword, current_page),
    title: isPastTheEnd ? "Leaderboard" : `Leaderboard, page ${whole(current_page)} of ${whole(last_page)}`,
    description: "All listed passports, highest score first.",
    current: "leaderboard",
    builtAt: info.builtAt,
    main: html`<section class="card">
<div class="head"><h1>Leaderboard</h1>${list.pagination.total > 0 && agePill(info)}</div>
<div class="standing">${filterForm(site, keyword)}
${info.distribution !== null && figure(info.distribution)}</div>
</section>
${peopleSection(site, view)}`,
  });
}

const figure = (distribution: Distribution): Safe =>
  html`<figure>${distributionChart(distribution, null, 56)}<figcaption class="small soft"><span class="vh">Scores of everyone listed. </span>${describeScores(distribution)}</figcaption></figure>`;

const filterForm = (
  { links }: Site,
  keyword: string,
): Safe => html`<form class="stack tight paperless" action="${links.to("/leaderboard")}">
<label class="small" for="keyword">Name, or your whole wallet</label>
<div class="find"><input id="keyword" name="keyword" type="search" maxlength="100" dir="auto" autocomplete="off" spellcheck="false" value="${keyword}"><button>Show</button></div>
<p class="small soft">A name shortens the list; a wallet leads to its row.</p></form>`;

const hasRankForm = ({ list, keyword }: LeaderboardView): boolean => keyword === "" && list.passports.length > 0;

function peopleSection(site: Site, view: LeaderboardView): Safe {
  const { list, keyword, perPage, info } = view;
  const { passports, pagination } = list;
  const { current_page, last_page, total } = pagination;
  const to = listLink(site.links.to("/leaderboard"), "keyword", keyword);
  if (passports.length === 0) {
    const isPastTheEnd = current_page > last_page;
    return html`<section aria-labelledby="people">
<h2 id="people">${isPastTheEnd ? "This page does not exist" : nobody(keyword)}</h2>
${isPastTheEnd ? html`<p>The last page is <a href="${to(last_page)}">page ${whole(last_page)}</a>.</p>` : hint(keyword)}
</section>`;
  }
  const first = (current_page - 1) * perPage + 1;
  const ranks = view.ranks ?? passports.map((_, index) => first + index);
  const range = `${whole(ranks[0] as number)} to ${whole(ranks.at(-1) as number)} of ${whole(total)}`;
  return html`<section aria-labelledby="people">
${view.isPastRanks && html`<p class="note" role="status">There are ${whole(countRanks(info))} ranks. This is the last page.</p>\n`}<div class="head">
<h2 id="people">${keyword === "" ? `People ${range}` : html`${whole(total)} people with “${isolated(keyword, SHORT_QUERY)}” in their name`}</h2>
<p class="soft small">${keyword === "" ? "Equal scores are ordered by passport number." : "A name is not an identity. Compare the whole address."}</p>
</div>
${boardTable(site, view, ranks)}
${pageLinks(pagination, to)}${hasRankForm(view) && rankForm(site, countRanks(info))}</section>`;
}

const nobody = (keyword: string): Safe =>
  keyword === "" ? html`Nobody is listed yet` : html`Nobody has “${isolated(keyword, SHORT_QUERY)}” in their name`;

const hint = (keyword: string): Safe =>
  keyword === ""
    ? html`<p>This server has no passports to list.</p>`
    : html`<p>Try a shorter part of the name, or another spelling. People who asked to be hidden are not found.</p>`;

const rankForm = (
  { links }: Site,
  total: number,
): Safe => html`<form class="stack tight goto paperless" action="${links.to("/leaderboard")}"><label class="small" for="rank">Go to rank, 1 to ${whole(total)}</label><div class="find"><input id="rank" name="rank" inputmode="numeric" pattern="[0-9]*" maxlength="9" required autocomplete="off"><button class="ghost">Go</button></div></form>
`;
