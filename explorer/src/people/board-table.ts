import type { Passport } from "@credence/contract/passport.ts";
import { formatShortDay } from "../dates.ts";
import { html, type Link, type Safe } from "../html.ts";
import { type ListInfo, listScale } from "./distribution.ts";
import { axisLabel, tenths, whole } from "./figures.ts";
import { nameText } from "./names.ts";
import type { Site } from "./page-head.ts";
import { PARTS, partsBarOn, swatch } from "./parts.ts";
import { CHECK } from "./passport-head.ts";
import { percentOf, type Scale } from "./scale.ts";

type Board = { list: { passports: readonly Passport[] }; keyword: string; info: ListInfo };

/** The explicit roles are needed because cards change `display`, which removes the implicit roles. */
export function boardTable({ links }: Site, { list, keyword, info }: Board, ranks: readonly number[]): Safe {
  const { passports } = list;
  const isRanked = keyword === "";
  const scale = listScale(
    info,
    passports.map(({ score }) => score ?? 0),
  );
  const head = (content: string | Safe, kind = ""): Safe =>
    html`<th role="columnheader" scope="col"${kind !== "" && html` class="${kind}"`}>${content}</th>`;
  const parts = PARTS.map(({ name, tint }) => head(html`${swatch(tint)}${name}`, "num"));
  return html`<div class="fit"><table role="table" class="cards board">
<caption>Each bar: activity, identity, skills, in this order. One scale for the whole list, 0 to ${axisLabel(scale.end)} points; a bar with a cut goes on.</caption>
<thead role="rowgroup"><tr role="row">${head(isRanked ? "Rank" : "No.")}${head("Person")}${head("Score", "num")}${head(axis(scale), "bars")}${parts}${head("Human check")}${head("As of", "late")}</tr></thead>
<tbody role="rowgroup">
${passports.map((passport, index) => personRow(passport, ranks[index] as number, isRanked, links.to(`/passports/${passport.passport_id}`), scale))}</tbody>
</table></div>`;
}

function axis(scale: Scale): Safe {
  const labels = [0, ...scale.steps].map((value) => {
    const anchor = value === scale.end ? "end" : "middle";
    return html`<text x="${percentOf(value, scale)}%" y="12"${value > 0 && html` text-anchor="${anchor}"`}>${axisLabel(value)}</text>`;
  });
  return html`<svg class="lane" height="16" aria-hidden="true">${labels}</svg><span class="vh">Parts of the score, 0 to ${axisLabel(scale.end)} points</span>`;
}

function personRow(passport: Passport, rank: number, isRanked: boolean, page: Link, scale: Scale): Safe {
  const { score, human_checkmark, last_calculated_at: at, main_wallet } = passport;
  return html`<tr role="row"${isRanked && html` id="r${rank}"`}>
<td role="cell" class="soft">${isRanked && score === null ? NONE : whole(rank)}</td>
<th role="rowheader" scope="row" class="who"><a href="${page}">${nameText(passport)}</a>${!isRanked && main_wallet !== null && html`<br><code class="mono all">${main_wallet}</code>`}</th>
<td role="cell" class="num"><b>${score === null ? "none" : tenths(score)}</b></td>
<td role="cell" class="bars">${partsBarOn(scale, passport)}</td>
${PARTS.map(({ name, tint, pointsOf }) => html`<td role="cell" class="fine num"><span class="nm ${tint}">${name} </span>${tenths(pointsOf(passport))}</td>\n`)}<td role="cell" class="fine">${human_checkmark ? PASSED : NOT_PASSED}</td>
<td role="cell" class="late small">${at === null ? "not given" : html`<time datetime="${at.slice(0, 10)}">${formatShortDay(new Date(at))}</time>`}</td>
</tr>
`;
}

const NONE = html`<span aria-hidden="true">–</span><span class="vh">no rank</span>`;
const PASSED = html`<span class="yes">${CHECK}<span class="word">passed</span></span>`;
const NOT_PASSED = html`<span class="soft none">not passed</span>`;
