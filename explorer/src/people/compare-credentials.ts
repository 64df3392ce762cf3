import type { Credential } from "@credence/contract/credential.ts";
import { formatCount } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { tenths } from "./figures.ts";
import { type Compared, laneSection } from "./lanes.ts";
import { isSum } from "./parts.ts";

/** The points of each person; null if V1 lists no such credential. */
type Row = { name: string; points: readonly (number | null)[] };

const SHOWN = 8;

/** Credentials of equal category and name, those with the largest difference first. */
export function compareCredentials(people: readonly Compared[]): Safe {
  const lists = people.map(({ credentials }) => credentials);
  if (lists.includes(null))
    return section(html`<p>The credentials could not be read just now. Load this page again in a minute.</p>`);
  const rows = rowsOf(lists as readonly (readonly Credential[])[]);
  const differing = rows.filter(({ points }) => isDifferent(points)).toSorted((a, b) => difference(b) - difference(a));
  const equal = rows.filter(({ points }) => !isDifferent(points));
  const rest = differing.slice(SHOWN);
  const after = html`${rest.length > 0 && html`<details><summary>${formatCount(rest.length, "smaller difference")}</summary><p class="small">${asText(rest, ({ points }) => ` (${points.map(print).join(", ")})`)}</p></details>`}
${equal.length > 0 && html`<details><summary>${formatCount(equal.length, "credential")} with equal points</summary><p class="small">${asText(equal, ({ points }) => ` ${print(points[0] ?? null)}`)}</p></details>`}
<p class="small soft">“none”: no such credential. Several of one name are added up.</p>`;
  if (differing.length === 0) {
    const text =
      rows.length === 0
        ? "V1 has no credentials for them."
        : "None: they have the same points for the same credentials.";
    return section(html`<p>${text}</p>\n${rows.length > 0 && after}`);
  }
  return laneSection({
    people,
    id: "differ",
    heading: HEADING,
    unit: "Credential",
    rows: differing.slice(0, SHOWN).map(({ name, points }) => ({ head: html`<bdi>${name}</bdi>`, points })),
    after,
  });
}

const HEADING = "Largest differences";

const section = (content: Safe): Safe => html`<section aria-labelledby="differ">
<h2 id="differ">${HEADING}</h2>
${content}
</section>`;

function rowsOf(lists: readonly (readonly Credential[])[]): Row[] {
  const groups = lists.map((list) => Map.groupBy(list, ({ category, name }) => JSON.stringify([category, name])));
  const keys = new Set(groups.flatMap((group) => [...group.keys()]));
  return [...keys].sort().map((key) => ({
    name: (JSON.parse(key) as [string, string])[1],
    points: groups.map((group) => group.get(key)?.reduce((sum, { score }) => sum + score, 0) ?? null),
  }));
}

/** Sums of equal points may differ by a rounding error. */
const isDifferent = ([first, ...others]: Row["points"]): boolean =>
  others.some((points) => (first == null || points === null ? first !== points : !isSum(first, points)));

function difference({ points }: Row): number {
  const values = points.map((value) => value ?? 0);
  return Math.max(...values) - Math.min(...values);
}

const print = (points: number | null): string => (points === null ? "none" : tenths(points));

const asText = (rows: readonly Row[], figures: (row: Row) => string): Safe[] =>
  rows.map((row, index) => html`${index > 0 && "; "}<bdi>${row.name}</bdi>${figures(row)}`);
