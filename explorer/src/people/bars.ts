import { html, type Safe } from "../html.ts";
import { axisLabel } from "./figures.ts";
import { percentOf, type Scale } from "./scale.ts";

// Bars are SVG, so that they need no inline style, and are printed. They are hidden from screen
// readers: the figure beside a bar says the same.

/** Filled, an empty track, hatched, or a gap in the colour of the page. */
type Kind = "f" | "t" | "x" | "gap";

const HEIGHT = 12;
const GAP_WIDTH = 2;

/** Values from `from` to `to`, on a scale. */
export const rect = (kind: Kind, from: number, to: number, scale: Scale, height = HEIGHT): Safe => {
  const x = percentOf(from, scale);
  const width = Math.round((percentOf(to, scale) - x) * 100) / 100;
  return html`<rect class="${kind}" x="${x}%" y="50%" width="${width}%" height="${height}"/>`;
};

export const gap = (at: number, scale: Scale, height = HEIGHT): Safe =>
  html`<rect class="gap" x="${percentOf(at, scale)}%" y="50%" width="${GAP_WIDTH}" height="${height}"/>`;

export const bar = (rects: readonly Safe[], height = HEIGHT): Safe =>
  html`<svg class="bar" aria-hidden="true"><g transform="translate(0 -${height / 2})">${rects}</g></svg>`;

/** A bar in a cell of a table. A value beyond the scale is cut by a gap near its end. */
export function slimBar(value: number, scale: Scale): Safe {
  const width = percentOf(value, scale);
  const cut = value > scale.end && html`<rect class="gap" x="94%" width="${GAP_WIDTH}" height="8"/>`;
  return html`<svg class="bar slim" aria-hidden="true"><rect class="f" width="${width}%" height="8"/>${cut}</svg>`;
}

/** The first row of a list of bars. */
export const axis = ({ steps }: Scale): Safe =>
  html`<li class="row scale" aria-hidden="true"><span>Points, from 0</span><div class="axis">${steps.map(
    (step) => html`<span>${axisLabel(step)}</span>`,
  )}</div></li>
`;
