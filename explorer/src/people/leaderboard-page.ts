import type { PassportList } from "@credence/contract/answers.ts";
import type { Passport } from "@credence/contract/passport.ts";
import { formatShortDay } from "../dates.ts";
import { html, type Link, link, type Safe } from "../html.ts";
import { scoreBar } from "./bars.ts";
import { type Distribution, describeScores, distributionChart, type ListInfo } from "./distribution.ts";
import { axisLabel, tenths, whole } from "./figures.ts";
import { clip, nameText, SHORT_QUERY } from "./names.ts";
import { peoplePage, type Site } from "./page-head.ts";
import { listLink, listPath, pageLinks } from "./page-links.ts";
import { CHECK } from "./passport-page.ts";
import { listScaleOf, type Scale } from "./scale.ts";

export type LeaderboardView = {
  list: PassportList;
  /** Of the people of this page, if they are not consecutive. */
  ranks: readonly number[] | null;
  perPage: number;
  keyword: string;
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
    main: html`<section>
<h1>Leaderboard</h1>
<div class="standing lead-dist">${info.distribution !== null && figure(info.distribution)}${filterForm(site, keyword, hasRankForm(view))}</div>
</section>
${peopleSection(site, view)}`,
  });
}

const figure = (distribution: Distribution): Safe =>
  html`<figure>${distributionChart(distribution, null)}<figcaption class="small soft">Scores of everyone listed, in points. ${describeScores(distribution)}</figcaption></figure>
`;

const filterForm = (
  { links }: Site,
  keyword: string,
  hasRanks: boolean,
): Safe => html`<form class="stack tight" action="${links.to("/leaderboard")}">
<label class="small" for="keyword">Show only names that contain</label>
<div class="find"><input id="keyword" name="keyword" type="search" maxlength="100" dir="auto" autocomplete="off" spellcheck="false" value="${keyword}"><button>Show</button></div>
${hasRanks && html`<p class="small"><a href="${link("#rank")}">Go to a rank</a></p>`}</form>`;

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
<div class="head">
<h2 id="people">${keyword === "" ? `People ${range}` : html`${whole(total)} people with “<bdi>${clip(keyword, SHORT_QUERY)}</bdi>” in their name`}</h2>
<p class="soft small">Equal scores are ordered by passport number.</p>
</div>
${keyword !== "" && html`<p class="note"><b>A name is not an identity.</b> Anyone can choose any name. Compare the whole wallet address.</p>`}
${peopleTable(site, passports, ranks, keyword === "")}
${pageLinks(pagination, to)}${hasRankForm(view) && rankForm(site, info.total)}</section>`;
}

const nobody = (keyword: string): Safe =>
  keyword === ""
    ? html`Nobody is listed yet`
    : html`Nobody has “<bdi>${clip(keyword, SHORT_QUERY)}</bdi>” in their name`;

const hint = (keyword: string): Safe =>
  keyword === ""
    ? html`<p>This server has no passports to list.</p>`
    : html`<p>Try a shorter part of the name, or another spelling. People who asked to be hidden are not found.</p>`;

const rankForm = (
  { links }: Site,
  total: number,
): Safe => html`<form class="stack tight goto" action="${links.to("/leaderboard")}"><label class="small" for="rank">Go to rank, 1 to ${whole(total)}</label><div class="find"><input id="rank" name="rank" inputmode="numeric" pattern="[0-9]*" maxlength="9" required autocomplete="off"><button>Go</button></div></form>
`;

/** The explicit roles are needed because cards change `display`, which removes the implicit roles. */
function peopleTable({ links }: Site, passports: readonly Passport[], ranks: readonly number[], isRanked: boolean) {
  const scale = listScaleOf(passports.map(({ score }) => score ?? 0));
  const isCut = passports.some(({ score }) => (score ?? 0) > scale.end);
  const points = `0 to ${axisLabel(scale.end)} points`;
  const head = (name: string, kind = ""): Safe =>
    html`<th role="columnheader" scope="col"${kind !== "" && html` class="${kind}"`}>${name}</th>`;
  return html`<div class="fit"><table role="table" class="cards board">
<caption>Each bar is a score, cut where its parts meet: activity, identity, skills. One scale, ${points}${isCut && "; longer bars are cut"}. A check mark: human check passed.</caption>
<thead role="rowgroup"><tr role="row">${head(isRanked ? "Rank" : "No.")}${head("Person")}${head("Score", "num")}${head(points)}${head("Activity", "num")}${head("Identity", "num")}${head("Skills", "num")}${head("Human check")}${head("As of", "late")}</tr></thead>
<tbody role="rowgroup">
${passports.map((passport, index) => personRow(passport, ranks[index] as number, isRanked, links.to(`/passports/${passport.passport_id}`), scale))}</tbody>
</table></div>`;
}

function personRow(passport: Passport, rank: number, isRanked: boolean, page: Link, scale: Scale): Safe {
  const { score, human_checkmark, last_calculated_at } = passport;
  const parts = [passport.activity_score, passport.identity_score, passport.skills_score];
  return html`<tr role="row"${isRanked && html` id="r${rank}"`}>
<td role="cell" class="soft">${isRanked && score === null ? NONE : whole(rank)}</td>
<th role="rowheader" scope="row" class="who"><a href="${page}">${nameText(passport)}</a></th>
<td role="cell" class="num"><b>${score === null ? "none" : tenths(score)}</b></td>
<td role="cell" class="bars">${score !== null && scoreBar(score, parts, scale, "slim")}</td>
${parts.map((points) => html`<td role="cell" class="fine num">${tenths(points)}</td>\n`)}<td role="cell" class="fine yes-no">${human_checkmark ? PASSED : NOT_PASSED}</td>
<td role="cell" class="late small">${last_calculated_at === null ? "not given" : html`<time datetime="${last_calculated_at}">${formatShortDay(new Date(last_calculated_at))}</time>`}</td>
</tr>
`;
}

const NONE = html`<span aria-hidden="true">–</span><span class="vh">no rank</span>`;
const PASSED = html`<span class="yes">${CHECK}<span class="word">passed</span></span>`;
const NOT_PASSED = html`<span class="soft none">no</span>`;
