import type { Credential } from "@credence/contract/credential.ts";
import { formatCount } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { isSum } from "./bars.ts";
import { axisLabel, tenths } from "./figures.ts";
import { scaleOf } from "./scale.ts";
import { type Compared, pointsCell, versusTable } from "./versus-table.ts";

/** Points and maximum of one person; null if V1 lists no such credential. */
type Sum = { points: number; most: number } | null;
type Row = { name: string; sums: readonly Sum[] };

const SHOWN = 12;

/** Credentials of equal category and name, those with the largest difference first. */
export function compareCredentials(people: readonly Compared[]): Safe {
  const lists = people.map(({ credentials }) => credentials);
  if (lists.includes(null))
    return section(html`<p>The credentials could not be read just now. Load this page again in a minute.</p>`);
  const rows = rowsOf(lists as readonly (readonly Credential[])[]);
  const differing = rows.filter(({ sums }) => isDifferent(sums)).toSorted((a, b) => difference(b) - difference(a));
  const equal = rows.filter(({ sums }) => !isDifferent(sums));
  const shown = differing.slice(0, SHOWN);
  const rest = differing.slice(SHOWN);
  const scale = scaleOf(shown.flatMap(({ sums }) => sums.flatMap((sum) => (sum ? [sum.points, sum.most] : []))));
  return section(html`${
    shown.length === 0
      ? html`<p>${rows.length === 0 ? "V1 has no credentials for them." : "None: they have the same points for the same credentials."}</p>`
      : versusTable({
          people,
          corner: "Credential",
          kind: "",
          caption: `The largest difference first. The outline is the most a credential can give; the scale is 0 to ${axisLabel(scale.end)} points.`,
          rows: shown.map(({ name, sums }) => ({
            head: html`<bdi>${name}</bdi>`,
            cells: sums.map((sum) =>
              sum === null ? html`<span class="soft">not there</span>` : pointsCell(sum.points, sum.most, scale),
            ),
          })),
        })
  }
${rest.length > 0 && html`<details><summary>${formatCount(rest.length, "smaller difference")}</summary><p class="small">${asText(rest, ({ sums }) => ` (${sums.map(print).join(", ")})`)}</p></details>`}
${equal.length > 0 && html`<details><summary>${formatCount(equal.length, "credential")} with equal points</summary><p class="small">${asText(equal, ({ sums }) => ` ${print(sums[0] ?? null)}`)}</p></details>`}
<p class="small soft">Several credentials of one name are added up. “Not there” means that V1 lists no such credential for this person.</p>`);
}

const section = (content: Safe): Safe => html`<section aria-labelledby="differ">
<h2 id="differ">Credentials that differ</h2>
${content}
</section>`;

function rowsOf(lists: readonly (readonly Credential[])[]): Row[] {
  const groups = lists.map((list) => Map.groupBy(list, ({ category, name }) => JSON.stringify([category, name])));
  const keys = new Set(groups.flatMap((group) => [...group.keys()]));
  return [...keys].sort().map((key) => ({
    name: (JSON.parse(key) as [string, string])[1],
    sums: groups.map((group) => sumOf(group.get(key))),
  }));
}

const sumOf = (credentials: readonly Credential[] | undefined): Sum =>
  credentials === undefined
    ? null
    : credentials.reduce(
        ({ points, most }, { score, max_score }) => ({ points: points + score, most: most + max_score }),
        { points: 0, most: 0 },
      );

/** Sums of equal points may differ by a rounding error. */
const isDifferent = ([first, ...others]: readonly Sum[]): boolean =>
  others.some((sum) => (first == null || sum === null ? first !== sum : !isSum(first.points, sum.points)));

function difference({ sums }: Row): number {
  const points = sums.map((sum) => sum?.points ?? 0);
  return Math.max(...points) - Math.min(...points);
}

const print = (sum: Sum): string => (sum === null ? "not there" : tenths(sum.points));

const asText = (rows: readonly Row[], figures: (row: Row) => string): Safe[] =>
  rows.map((row, index) => html`${index > 0 && "; "}<bdi>${row.name}</bdi>${figures(row)}`);
