import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import { html, type Safe } from "../html.ts";
import type { Place } from "./distribution.ts";
import { axisLabel, shortTenths, tenths } from "./figures.ts";
import { shortName } from "./names.ts";
import { percentOf, scaleOf } from "./scale.ts";

export type Compared = {
  passport: PassportDetail;
  /** Null if they could not be read. */
  credentials: readonly Credential[] | null;
  place: Place | null;
};

/** Of a person by their place in the set. Colour never says it alone. */
const SHAPES = [
  html`<circle r="6.5"/>`,
  html`<path d="M-6-6H6V6H-6z"/>`,
  html`<path d="M0-8 8 6H-8z"/>`,
  html`<path d="M0-8 8 0 0 8-8 0z"/>`,
];

export const mark = (index: number): Safe =>
  html`<svg class="k${index + 1}" width="18" height="18" viewBox="-9 -9 18 18" fill="currentColor" aria-hidden="true">${SHAPES[index]}</svg>`;

/** Null: the person has no such thing. */
type Points = number | null;
type LaneTable = {
  people: readonly Compared[];
  id: string;
  heading: string;
  /** What the rows are. */
  unit: string;
  rows: readonly { head: Safe; points: readonly Points[] }[];
  after?: Safe;
};

/** A row for each thing, with one axis for all rows and a lane for each person. */
export function laneSection({ people, id, heading, unit, rows, after }: LaneTable): Safe {
  const { end } = scaleOf(
    rows.flatMap(({ points }) => points.map((value) => value ?? 0)),
    SCALE_STEPS,
  );
  const key = people.map(({ passport }, index) => html`<li>${mark(index)} ${shortName(passport)}</li>`);
  return html`<section aria-labelledby="${id}">
<div class="head"><h2 id="${id}">${heading}</h2><ul class="key" aria-hidden="true">${key}</ul></div>
<table class="lanes"><thead class="opt"><tr><th scope="col">${unit}</th><th scope="col">${axis(end)}<span class="vh">Points, 0 to ${axisLabel(end)}</span></th></tr></thead>
<tbody>
${rows.map(
  ({
    head,
    points,
  }) => html`<tr><th scope="row">${head}</th><td>${lanes(points, end)}<span class="vh">${asText(people, points)}</span></td></tr>
`,
)}</tbody></table>
${after}</section>`;
}

// The rest of the width is for the number at the end of a line.
const START = 2;
const SHARE = 0.82;
const LANE_HEIGHT = 22;
/** Only the end and the middle are labelled, so the end can be close to the largest value. */
const SCALE_STEPS = 10;
const at = (value: number, end: number): number => Math.round((START + SHARE * percentOf(value, { end })) * 100) / 100;

function axis(end: number): Safe {
  const labels = [0, end / 2, end].map(
    (value) =>
      html`<text x="${at(value, end)}%" y="12"${value > 0 && html` text-anchor="middle"`}>${axisLabel(value)}</text>`,
  );
  return html`<svg class="lane" height="16" aria-hidden="true">${labels}</svg>`;
}

function lanes(points: readonly Points[], end: number): Safe {
  const drawn = points.map((value, index) => {
    const y = 12 + index * LANE_HEIGHT;
    if (value === null) return html`<text x="${START}%" y="${y + 4.5}" dx="8">none</text>`;
    const x = at(value, end);
    return html`<g class="k${index + 1}"><line x1="${START}%" x2="${x}%" y1="${y}" y2="${y}" stroke="currentColor"/><svg x="${x}%" y="${y}" overflow="visible">${SHAPES[index]}<text x="12" y="4.5" font-weight="600">${shortTenths(value)}</text></svg></g>`;
  });
  return html`<svg class="lane" height="${points.length * LANE_HEIGHT + 2}" aria-hidden="true"><rect x="${START}%" width="1" height="100%"/>${drawn}</svg>`;
}

const asText = (people: readonly Compared[], points: readonly Points[]): Safe[] =>
  points.map(
    (value, index) =>
      html`${index > 0 && "; "}${shortName((people[index] as Compared).passport)} ${value === null ? "none" : tenths(value)}`,
  );
