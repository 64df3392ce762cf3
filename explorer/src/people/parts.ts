import type { Passport } from "@credence/contract/passport.ts";
import { html, type Safe } from "../html.ts";
import { tenths } from "./figures.ts";
import { percentOf, type Scale } from "./scale.ts";

// Bars are SVG, so that they need no inline style, and are printed. They are hidden from screen
// readers: figures beside a bar say the same.

export type Scores = Pick<Passport, "score" | "activity_score" | "identity_score" | "skills_score">;

/** The parts of a score, with their tints, in the order of all bars. */
export const PARTS = [
  { name: "Activity", tint: "p1", pointsOf: ({ activity_score }: Scores): number => activity_score },
  { name: "Identity", tint: "p2", pointsOf: ({ identity_score }: Scores): number => identity_score },
  { name: "Skills", tint: "p3", pointsOf: ({ skills_score }: Scores): number => skills_score },
] as const;

/** The hatching of bars, for what the parts of a score do not explain. A page with bars needs it once. */
export const HATCH = html`<svg class="vh" aria-hidden="true"><defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line y2="5"/></pattern></defs></svg>`;

/** Of a part, or the hatching of what the parts do not explain. */
type Tint = (typeof PARTS)[number]["tint"] | "x";

export const sumOfParts = (scores: Scores): number => PARTS.reduce((sum, { pointsOf }) => sum + pointsOf(scores), 0);

/** Differences below this share of a score are rounding errors. */
const TOLERANCE = 1e-9;

/** Whether parts of this sum explain a score. */
export const isSum = (score: number, sum: number): boolean => Math.abs(score - sum) <= TOLERANCE * Math.max(1, sum);

/** The square of a part in a key. */
export const swatch = (tint: Tint): Safe =>
  html`<svg class="sw" aria-hidden="true"><rect class="${tint}" width="100%" height="100%"/></svg>`;

const rect = (tint: Tint, from: number, to: number, scale: Pick<Scale, "end">): Safe => {
  const x = percentOf(from, scale);
  const width = Math.round((percentOf(to, scale) - x) * 10) / 10;
  return html`<rect class="${tint}"${x > 0 && html` x="${x}%"`} width="${width}%"/>`;
};

/** A score in its parts, over the whole width. Nothing without points. */
export function partsBar(scores: Scores): Safe | null {
  const sum = sumOfParts(scores);
  const score = scores.score ?? sum;
  const end = Math.max(score, sum);
  return end === 0 ? null : bar("", rectsOf(scores, score, { end }));
}

/**
 * A score on the scale of a list. Beyond the end it is cut. Parts of more than the score would make the
 * bar too long: it is hatched.
 */
export function partsBarOn(scale: Pick<Scale, "end">, scores: Scores): Safe | null {
  const { score } = scores;
  if (score === null) return null;
  const sum = sumOfParts(scores);
  const isExceeded = sum > score && !isSum(score, sum);
  const rects = isExceeded ? [rect("x", 0, score, scale)] : rectsOf(scores, score, scale);
  return bar(" slim", score > scale.end ? [...rects, html`<rect class="cut" x="96%" width="3"/>`] : rects);
}

const bar = (size: string, rects: readonly Safe[]): Safe =>
  html`<svg class="split${size}" aria-hidden="true">${rects}</svg>`;

function rectsOf(scores: Scores, score: number, scale: Pick<Scale, "end">): Safe[] {
  const rects: Safe[] = [];
  let end = 0;
  for (const { tint, pointsOf } of PARTS) {
    const points = pointsOf(scores);
    if (points > 0 && end < scale.end) rects.push(rect(tint, end, end + points, scale));
    end += points;
  }
  if (score > end && !isSum(score, end) && end < scale.end) rects.push(rect("x", end, score, scale));
  return rects;
}

/** The points of the parts, as the key of a bar. */
export const partsKey = (scores: Scores, more: Safe | null): Safe =>
  html`<ul class="key big">${PARTS.map(
    ({ name, tint, pointsOf }) => html`<li>${swatch(tint)}${name} <b>${tenths(pointsOf(scores))}</b></li>`,
  )}${more}</ul>`;
