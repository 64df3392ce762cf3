import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import { html, type Safe } from "../html.ts";
import { bar, rect } from "./bars.ts";
import { hundredths, tenths } from "./figures.ts";
import { clip, nameText, plainName, visibleName } from "./names.ts";
import type { Scale } from "./scale.ts";
import type { Place } from "./score-section.ts";

export type Compared = {
  passport: PassportDetail;
  /** Null if they could not be read. */
  credentials: readonly Credential[] | null;
  place: Place | null;
};

type VersusTable = {
  people: readonly Compared[];
  corner: string;
  caption: string;
  kind: "" | "parts";
  rows: readonly { head: Safe; cells: readonly Safe[] }[];
};

const HEAD_LENGTH = 40;

/** One column per person; on a narrow screen each row is a block with one line per person. */
export function versusTable({ people, corner, caption, kind, rows }: VersusTable): Safe {
  const heads = people.map(({ passport }) => {
    const name = visibleName(passport);
    return html`<th role="columnheader" scope="col">${name === null ? nameText(passport) : html`<bdi>${clip(name, HEAD_LENGTH)}</bdi>`}</th>`;
  });
  const labels = people.map(({ passport }) => plainName(passport));
  return html`<div class="fit"><table role="table" class="cards versus v${people.length}${kind !== "" && ` ${kind}`}"><caption>${caption}</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">${corner}</th>${heads}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  ({ head, cells }) => html`<tr role="row"><th role="rowheader" scope="row">${head}</th>${cells.map(
    (cell, index) => html`<td role="cell" data-label="${labels[index]}">${cell}</td>`,
  )}</tr>
`,
)}</tbody></table></div>`;
}

/** Points with their bar, and the maximum if there is one. */
export function pointsCell(points: number, most: number | null, scale: Scale): Safe {
  const rects = [
    ...(most !== null && most > 0 ? [rect("t", 0, most, scale)] : []),
    ...(points > 0 ? [rect("f", 0, points, scale)] : []),
  ];
  return html`<span class="in-bar"><span class="num"><b>${tenths(points)}</b>${most !== null && most > 0 && html`<small> of ${hundredths(most)}</small>`}</span>${bar(rects, "thin")}</span>`;
}
