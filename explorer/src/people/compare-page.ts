import type { PassportList } from "@credence/contract/answers.ts";
import type { Passport } from "@credence/contract/passport.ts";
import { formatShortDay } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { compareCredentials } from "./compare-credentials.ts";
import { compareResult } from "./compare-result.ts";
import { ordinal, tenths, whole } from "./figures.ts";
import { type Compared, laneSection, mark } from "./lanes.ts";
import { isolated, LONG_NAME, nameText, plainName, SHORT_QUERY, shortName } from "./names.ts";
import { peoplePage, type Site } from "./page-head.ts";
import { listPath } from "./page-links.ts";
import { PARTS } from "./parts.ts";
import { personHit } from "./person-hit.ts";

export type CompareView = {
  people: readonly Compared[];
  /** What was asked for and is not shown: unknown, hidden, or no number and no wallet. */
  unknown: readonly string[];
  /** A name to add, and who may be meant. */
  named: { name: string; list: PassportList } | null;
  /** The first people of the list, to begin with. */
  first: readonly number[];
};

/** The address of a set of passports. */
export const comparePath = (ids: readonly (number | string)[]): string =>
  `/compare${ids.length === 0 ? "" : `?ids=${ids.map((id) => encodeURIComponent(id)).join("+")}`}`;

/** People on one page. */
export const MAX_COMPARED = 4;

/** Up to four people on one axis. Search engines never list it. */
export function comparePage(site: Site, view: CompareView): Safe {
  const { people, unknown, named } = view;
  const ids = people.map(({ passport }) => passport.passport_id);
  const isComparing = people.length > 1 && named === null;
  return peoplePage(
    { ...site, isIndexed: false },
    {
      path: comparePath(ids),
      title: ids.length === 0 ? "Compare" : `Compare ${people.map(({ passport }) => plainName(passport)).join(", ")}`,
      description: "Scores, parts and credentials of up to four people on one axis.",
      ...(people[0]?.place && { builtAt: people[0].place.builtAt }),
      main: html`<section class="card">
<div class="stack tight"><h1>Compare</h1>${people.length === 0 && html`\n<p>Two to four people on one axis: scores, parts, and the credentials that differ most.</p>`}</div>
${unknown.length > 0 && html`<p class="note">Nothing is shown for ${unknown.map((text, index) => html`${index > 0 && ", "}${isolated(text, LONG_NAME)}`)}.</p>`}
${people.length > 0 && html`<ul class="chips">${people.map((person, index) => chip(site, person, index, ids))}</ul>`}
${isComparing && compareResult(people)}
${addForm(site, ids, named?.name ?? "")}
${named === null ? startLink(site, view) : candidates(site, ids, named)}</section>
${named !== null && NAMES}${isComparing && html`${scores(people)}\n${compareCredentials(people)}`}`,
    },
  );
}

const NAMES = html`<p class="small soft">A name is not an identity. Compare the whole address.</p>`;

function chip({ links }: Site, { passport, place }: Compared, index: number, ids: readonly number[]): Safe {
  const { passport_id, score, merged, last_calculated_at: at } = passport;
  const others = ids.filter((id) => id !== passport_id);
  return html`<li>${mark(index)}<span class="name"><a href="${links.to(`/passports/${passport_id}`)}">${shortName(passport)}</a><small>${score === null ? "no score" : tenths(score)}${merged ? ", merged" : place !== null && `, ${ordinal(place.rank)}`}${at !== null && html`, <time datetime="${at}">${formatShortDay(new Date(at))}</time>`}</small></span><a class="x" href="${links.to(comparePath(others))}" aria-label="Remove ${plainName(passport)}">✕</a></li>
`;
}

/** Adds somebody to the set. */
function addForm({ links }: Site, ids: readonly number[], name: string): Safe {
  if (ids.length === MAX_COMPARED)
    return html`<p class="small soft">Four people are the most that fit. Remove one to add another.</p>`;
  const [label, button] =
    ids.length === 0
      ? ["Whom first? Name, wallet or passport number", "Start"]
      : ["Add somebody: name, wallet or passport number", "Add"];
  return html`<form class="stack tight paperless" action="${links.to("/compare")}">${ids.length > 0 && html`<input type="hidden" name="ids" value="${ids.join(" ")}">`}<label class="small" for="with">${label}</label><div class="find"><input id="with" name="with" required maxlength="100" autocomplete="off" spellcheck="false" autocapitalize="off" dir="auto" value="${name}"><button>${button}</button></div></form>`;
}

const startLink = ({ links }: Site, { people, first }: CompareView): Safe | null =>
  people.length > 0 || first.length < 2
    ? null
    : html`<p class="acts"><span class="small soft">Or look at</span><a class="button ghost" href="${links.to(comparePath(first))}">The first ${first.length === 2 ? "two" : "three"} of the list</a></p>`;

function candidates(site: Site, ids: readonly number[], { name, list }: NonNullable<CompareView["named"]>): Safe {
  const { passports, pagination } = list;
  const text = html`“${isolated(name, SHORT_QUERY)}” in their name`;
  if (passports.length === 0)
    return html`<div class="stack tight" role="status"><h2>Nobody has ${text}</h2>
<p>Try a shorter part of the name, another spelling, a whole wallet or a passport number.</p></div>`;
  const add = (passport: Passport): Safe =>
    html`<p class="acts"><a class="button ghost" href="${site.links.to(comparePath([...ids, passport.passport_id]))}">Add<span class="vh"> ${nameText(passport)}, passport ${passport.passport_id}</span></a></p>`;
  const more = pagination.total - passports.length;
  return html`<div class="stack" role="status"><h2>${whole(pagination.total)} people have ${text}. Whom do you mean?</h2>
<ul class="plain-list full">
${passports.map((passport) => personHit(site, passport, add(passport)))}</ul>${
    more > 0 &&
    html`\n<p><a href="${site.links.to(listPath("/search", "q", name, 1))}">See all ${whole(pagination.total)}</a></p>`
  }</div>`;
}

const scores = (people: readonly Compared[]): Safe =>
  laneSection({
    people,
    id: "parts",
    heading: "Score and its parts",
    unit: "Points",
    rows: [
      { head: html`<b>Score</b>`, points: people.map(({ passport }) => passport.score) },
      ...PARTS.map(({ name, pointsOf }) => ({
        head: html`${name}`,
        points: people.map(({ passport }) => pointsOf(passport)),
      })),
    ],
  });
