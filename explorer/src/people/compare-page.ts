import type { PassportDetail } from "@credence/contract/passport.ts";
import { formatAge, formatShortDay } from "../dates.ts";
import { html, type Link, type Safe } from "../html.ts";
import { compareCredentials } from "./compare-credentials.ts";
import { axisLabel, ordinal, whole } from "./figures.ts";
import { clip, LONG_NAME, nameText, plainName, visibleName } from "./names.ts";
import { peoplePage, type Site } from "./page-head.ts";
import { scaleOf } from "./scale.ts";
import { type Compared, pointsCell, versusTable } from "./versus-table.ts";

export type CompareView = {
  people: readonly Compared[];
  /** What was asked for and is not shown: unknown, hidden, or no number and no wallet. */
  unknown: readonly string[];
};

/** The address of a set of passports. */
export const comparePath = (ids: readonly (number | string)[]): string =>
  `/compare${ids.length === 0 ? "" : `?ids=${ids.map((id) => encodeURIComponent(id)).join("+")}`}`;

/** Up to four people side by side. Search engines never list it. */
export function comparePage(site: Site, { people, unknown }: CompareView): Safe {
  const ids = people.map(({ passport }) => passport.passport_id);
  return peoplePage(
    { ...site, isIndexed: false },
    {
      path: comparePath(ids),
      title: ids.length === 0 ? "Compare" : `Compare ${people.map(({ passport }) => plainName(passport)).join(", ")}`,
      description: "Scores, parts and credentials of up to four people side by side.",
      ...(people[0]?.place && { builtAt: people[0].place.builtAt }),
      main: html`<section>
<h1>Compare</h1>
<p>${introduction(people)}</p>
${unknown.length > 0 && html`<p class="note">Nothing is shown for ${unknown.map((text, index) => html`${index > 0 && ", "}<bdi>${clip(text, LONG_NAME)}</bdi>`)}.</p>`}
${people.length > 0 && html`<ul class="plain-list people-in">${people.map((person) => personItem(site, person, people))}</ul>`}
${addForm(site, ids)}
</section>
${people.length > 1 && html`${scores(people)}\n${compareCredentials(people)}`}`,
    },
  );
}

const COUNTS = ["", "", "Two", "Three", "Four"];

function introduction(people: readonly Compared[]): string {
  if (people.length < 2) return "Add somebody to compare with.";
  const times = people.flatMap(({ passport: { last_calculated_at: at } }) => (at === null ? [] : [Date.parse(at)]));
  const apart = formatAge(new Date(Math.min(...times)), new Date(Math.max(...times)));
  const start = `${COUNTS[people.length]} people on the same scales.`;
  return times.length < 2 || apart === "today"
    ? start
    : `${start} Their scores were calculated up to ${apart.replace(/ ago$/, "")} apart, so what changed in between is not in the older one.`;
}

function personItem({ links }: Site, { passport, place }: Compared, people: readonly Compared[]): Safe {
  const { passport_id, last_calculated_at } = passport;
  const name = visibleName(passport);
  const isRanked = passport.score !== null && !passport.merged;
  const rank = place === null ? !isRanked && ", no rank" : `, ${ordinal(place.rank)} of ${whole(place.total)}`;
  const others = people.map(({ passport }) => passport.passport_id).filter((id) => id !== passport_id);
  return html`<li class="head"><span><a href="${links.to(`/passports/${passport_id}`)}">${name === null ? nameText(passport) : html`<bdi>${clip(name, LONG_NAME)}</bdi>`}</a> <span class="small soft">passport ${passport_id}${rank}${last_calculated_at !== null && html`, as of <time datetime="${last_calculated_at}">${formatShortDay(new Date(last_calculated_at))}</time>`}</span></span>${
    people.length > 2 &&
    html`<a class="small" href="${links.to(comparePath(others))}">Remove<span class="vh"> <bdi>${plainName(passport)}</bdi></span></a>`
  }</li>
`;
}

function addForm({ links }: Site, ids: readonly number[]): Safe {
  if (ids.length === COUNTS.length - 1)
    return html`<p class="small soft">Four people are the most that fit. Remove one to add another.</p>`;
  return compareForm(links.to("/compare"), ids, "Add another passport number or wallet", "Add");
}

/** Adds somebody to a set of passports. */
export const compareForm = (action: Link, ids: readonly number[], label: string, button: string): Safe =>
  html`<form class="stack tight paperless" action="${action}"><input type="hidden" name="ids" value="${ids.join(" ")}"><label class="small" for="with">${label}</label><div class="find"><input id="with" name="with" required maxlength="100" autocomplete="off" spellcheck="false" autocapitalize="off"><button>${button}</button></div></form>`;

function scores(people: readonly Compared[]): Safe {
  const parts = [
    ["Score", ({ score }: PassportDetail) => score],
    ["Activity", ({ activity_score }: PassportDetail) => activity_score],
    ["Identity", ({ identity_score }: PassportDetail) => identity_score],
    ["Skills", ({ skills_score }: PassportDetail) => skills_score],
  ] as const;
  const rows = parts.map(([name, pointsOf]) => ({ name, points: people.map(({ passport }) => pointsOf(passport)) }));
  const scale = scaleOf(rows.flatMap(({ points }) => points.map((value) => value ?? 0)));
  return html`<section aria-labelledby="parts">
<h2 id="parts">Score and its parts</h2>
${versusTable({
  people,
  corner: "Points",
  kind: "parts",
  caption: `All bars share one scale, 0 to ${axisLabel(scale.end)} points.`,
  rows: rows.map(({ name, points }) => ({
    head: html`${name}`,
    cells: points.map((value) =>
      value === null ? html`<span class="soft">no score</span>` : pointsCell(value, null, scale),
    ),
  })),
})}
</section>`;
}
