import { html, type Safe } from "../html.ts";
import { axisLabel } from "./figures.ts";
import { percentOf, type Scale } from "./scale.ts";

// Bars are SVG, so that they need no inline style, and are printed. They are hidden from screen
// readers: the figure beside a bar says the same.

/** Filled, an empty track, hatched, or a gap in the colour of the page. */
type Kind = "f" | "t" | "x" | "gap";

const GAP_WIDTH = 2;

/** Values from `from` to `to`, on a scale. Height and place come from the stylesheet. */
export const rect = (kind: Kind, from: number, to: number, scale: Scale): Safe => {
  const x = percentOf(from, scale);
  const width = Math.round((percentOf(to, scale) - x) * 100) / 100;
  return html`<rect class="${kind}"${x > 0 && html` x="${x}%"`} width="${width}%"/>`;
};

export const gap = (position: number, scale: Scale): Safe =>
  html`<rect class="gap" x="${percentOf(position, scale)}%" width="${GAP_WIDTH}"/>`;

export const bar = (rects: readonly Safe[], size: "" | "tall" | "slim" | "thin" = ""): Safe =>
  html`<svg class="bar${size !== "" && ` ${size}`}" aria-hidden="true">${rects}</svg>`;

/**
 * A score, cut where its parts meet; hatched where they do not explain it. If they exceed it, it is
 * not cut. A score beyond the scale is cut by a gap near its end.
 */
export function scoreBar(score: number, parts: readonly number[], scale: Scale, size: "tall" | "slim"): Safe {
  const sum = parts.reduce((total, part) => total + part, 0);
  const explained = isSum(score, sum) ? score : Math.min(score, sum);
  const rects = [rect("f", 0, explained, scale)];
  if (explained < score) rects.push(rect("x", explained, score, scale));
  let position = 0;
  for (const part of sum > score && !isSum(score, sum) ? [] : parts.slice(0, -1)) {
    position += part;
    if (position > 0 && position < explained && position < scale.end) rects.push(gap(position, scale));
  }
  if (score > scale.end) rects.push(html`<rect class="gap" x="94%" width="${GAP_WIDTH}"/>`);
  return bar(rects, size);
}

/** Differences below this share of a score are rounding errors. */
const TOLERANCE = 1e-9;

/** Whether parts of this sum explain a score. */
export const isSum = (score: number, sum: number): boolean => Math.abs(score - sum) <= TOLERANCE * Math.max(1, sum);

/** The first row of a list of bars. */
export const axis = ({ steps }: Scale): Safe =>
  html`<li class="row scale" aria-hidden="true"><span>Points, from 0</span><div class="axis">${steps.map(
    (step) => html`<span>${axisLabel(step)}</span>`,
  )}</div></li>
`;
