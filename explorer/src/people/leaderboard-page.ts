import type { PassportList } from "@credence/contract/answers.ts";
import type { Passport } from "@credence/contract/passport.ts";
import { formatMoment, formatShortDay } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { slimBar } from "./bars.ts";
import { axisLabel, tenths, whole } from "./figures.ts";
import { nameText } from "./names.ts";
import { peoplePage, type Site } from "./page-head.ts";
import { listLink, listPath, pageLinks } from "./page-links.ts";
import { CHECK } from "./passport-page.ts";
import { listScaleOf, type Scale } from "./scale.ts";

export type LeaderboardView = {
  list: PassportList;
  perPage: number;
  keyword: string;
  /** When the list was built. */
  builtAt: Date;
};

/** A page of the list, with or without a filter by name. */
export function leaderboardPage(site: Site, view: LeaderboardView): Safe {
  const { list, keyword } = view;
  const { current_page, last_page } = list.pagination;
  return peoplePage(site, {
    path: listPath("/leaderboard", "keyword", keyword, current_page),
    title: `Leaderboard, page ${whole(current_page)} of ${whole(last_page)}`,
    description: "All listed passports, highest score first.",
    current: "leaderboard",
    main: html`<section>
<h1>Leaderboard</h1>
<p>Everyone who is listed, highest score first. Equal scores are ordered by passport number.</p>
<form class="stack" action="${site.links.to("/leaderboard")}">
<label for="keyword">Show only names that contain</label>
<div class="find large">
<input id="keyword" name="keyword" type="search" maxlength="100" dir="auto" autocomplete="off" spellcheck="false" value="${keyword}">
<button>Show</button>
</div>
</form>
</section>
${peopleSection(site, view)}`,
  });
}

function peopleSection(site: Site, view: LeaderboardView): Safe {
  const { list, keyword, perPage, builtAt } = view;
  const { passports, pagination } = list;
  const { current_page, last_page, total } = pagination;
  const to = listLink(site.links.to("/leaderboard"), "keyword", keyword);
  const first = (current_page - 1) * perPage + 1;
  if (passports.length === 0) {
    const isPastTheEnd = current_page > last_page;
    return html`<section aria-labelledby="people">
<h2 id="people">${isPastTheEnd ? "This page does not exist" : nobody(keyword)}</h2>
${isPastTheEnd ? html`<p>The last page is <a href="${to(last_page)}">page ${whole(last_page)}</a>.</p>` : hint(keyword)}
</section>`;
  }
  const range = `${whole(first)} to ${whole(first + passports.length - 1)} of ${whole(total)}`;
  return html`<section aria-labelledby="people">
<div class="head">
<h2 id="people">${keyword === "" ? `People ${range}` : html`People ${range} with “<bdi>${keyword}</bdi>” in their name`}</h2>
<p class="soft small">List built <time datetime="${builtAt.toISOString()}">${formatMoment(builtAt)}</time></p>
</div>
${keyword !== "" && html`<p class="note"><b>A name is not an identity.</b> Anyone can choose any name. Compare the whole wallet address.</p>`}
${peopleTable(site, passports, first, keyword === "" ? "Rank" : "No.")}
${pageLinks(pagination, to)}</section>`;
}

const nobody = (keyword: string): Safe =>
  keyword === "" ? html`Nobody is listed yet` : html`Nobody has “<bdi>${keyword}</bdi>” in their name`;

const hint = (keyword: string): Safe =>
  keyword === ""
    ? html`<p>This server has no passports to list.</p>`
    : html`<p>Try a shorter part of the name, or another spelling. People who asked to be hidden are not found.</p>`;

const COLUMNS = ["Person", "Score", "Activity", "Identity", "Skills", "Human check", "As of"];

/** The explicit roles are needed because cards change `display`, which removes the implicit roles. */
function peopleTable({ links }: Site, passports: readonly Passport[], first: number, numbering: string): Safe {
  const values = passports.flatMap((passport) => partsOf(passport).map(({ points }) => points));
  const scale = listScaleOf(values);
  const isCut = values.some((value) => value > scale.end);
  const classOf = (column: string): Safe | false =>
    column === "Score" ? html` class="num"` : column === "As of" && html` class="late"`;
  return html`<div class="fit"><table role="table" class="cards">
<caption>Score in points, and the three parts that V1 sends for it. All bars of this page share one scale, 0 to ${axisLabel(scale.end)} points${isCut && "; longer bars are cut"}.</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">${numbering}</th>${COLUMNS.map(
    (column) => html`<th role="columnheader" scope="col"${classOf(column)}>${column}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">
${passports.map((passport, at) => personRow(passport, first + at, links.to(`/passports/${passport.passport_id}`), scale))}</tbody>
</table></div>`;
}

const partsOf = ({ activity_score, identity_score, skills_score }: Passport) => [
  { name: "Activity", points: activity_score },
  { name: "Identity", points: identity_score },
  { name: "Skills", points: skills_score },
];

function personRow(passport: Passport, number: number, page: ReturnType<Site["links"]["to"]>, scale: Scale): Safe {
  const { score, human_checkmark, last_calculated_at } = passport;
  const parts = partsOf(passport).map(
    ({ name, points }) =>
      html`<td role="cell" class="part" data-label="${name}"><span class="in-bar"><span class="num">${tenths(points)}</span>${slimBar(points, scale)}</span></td>
`,
  );
  const check = human_checkmark
    ? html`<td role="cell" class="wide" data-label="Human check "><span class="yes">${CHECK}passed</span></td>`
    : html`<td role="cell" class="wide none"><span class="soft"><span aria-hidden="true">–</span><span class="vh">not passed</span></span></td>`;
  return html`<tr role="row">
<td role="cell" class="soft">${whole(number)}</td>
<th role="rowheader" scope="row" class="who"><a href="${page}">${nameText(passport)}</a></th>
<td role="cell" class="num"><b>${score === null ? "none" : tenths(score)}</b></td>
${parts}${check}
<td role="cell" class="wide late small" data-label="As of ">${last_calculated_at === null ? "not given" : html`<time datetime="${last_calculated_at}">${formatShortDay(new Date(last_calculated_at))}</time>`}</td>
</tr>
`;
}
