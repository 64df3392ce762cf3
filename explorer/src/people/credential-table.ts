import type { Credential } from "@credence/contract/credential.ts";
import { formatCount, formatShortDay } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { shortHundredths, shortTenths } from "./figures.ts";
import { PARTS, swatch } from "./parts.ts";
import { percentOf } from "./scale.ts";

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;
/** In longer lists, credentials without points are folded. */
const MAX_UNFOLDED = 25;

type Table = {
  credentials: readonly Credential[] | null;
  heading: string;
  /** When the passport was calculated. */
  calculatedAt: string | null;
};

/** All credentials by category. Null: they could not be read. */
export function credentialSection({ credentials, heading, calculatedAt }: Table): Safe {
  if (credentials === null || credentials.length === 0) {
    return html`<section aria-labelledby="credentials">
<h2 id="credentials">${heading}</h2>
<p>${
      credentials === null
        ? "The credentials could not be read just now. The score above is complete. Load this page again in a minute."
        : "V1 lists no credentials for this person."
    }</p>
</section>`;
  }
  const names = Map.groupBy(credentials, ({ name }) => name);
  const row = (credential: Credential): Safe =>
    credentialRow(credential, { isRepeated: (names.get(credential.name)?.length ?? 0) > 1, calculatedAt });
  const earned = credentials.filter(({ score }) => score > 0);
  const isFolded = credentials.length > MAX_UNFOLDED && earned.length > 0 && earned.length < credentials.length;
  const unearned = isFolded ? credentials.filter(({ score }) => score <= 0) : [];
  return html`<section aria-labelledby="credentials">
<div class="head"><h2 id="credentials">${heading}</h2><span class="fig"><b>${earned.length}</b> of ${formatCount(credentials.length, "credential")} earned points</span></div>
${categoryTable(isFolded ? earned : credentials, row)}${
  isFolded &&
  html`<details><summary>${formatCount(unearned.length, "credential")} without points</summary>
${categoryTable(unearned, row)}</details>
`
}</section>`;
}

const categoryTable = (credentials: readonly Credential[], row: (credential: Credential) => Safe): Safe =>
  html`<table class="cr">
<thead><tr><th scope="col">Credential</th><th scope="col" class="opt">Share of its maximum</th><th scope="col" class="num">Points</th></tr></thead>
${groupByCategory(credentials).map(([category, items]) => {
  const part = PARTS.find(({ name }) => name === category);
  const sum = items.reduce((total, { score }) => total + score, 0);
  return html`<tbody${part !== undefined && html` class="${part.tint}"`}><tr class="cat"><th scope="rowgroup">${part !== undefined && swatch(part.tint)}<bdi>${category}</bdi></th><td class="opt"></td><td class="num"><b>${shortTenths(sum)}</b></td></tr>
${items.map(row)}</tbody>
`;
})}</table>
`;

/** The parts of the score come first, then other categories by name. */
function groupByCategory(credentials: readonly Credential[]): [string, Credential[]][] {
  const groups = Map.groupBy(credentials, ({ category }) => category);
  const known = PARTS.map(({ name }) => name as string);
  const others = [...groups.keys()].filter((name) => !known.includes(name)).sort();
  return [...known.filter((name) => groups.has(name)), ...others].map((name) => [
    name,
    (groups.get(name) ?? []).sort((a, b) => b.score - a.score),
  ]);
}

type RowOptions = { isRepeated: boolean; calculatedAt: string | null };

function credentialRow(credential: Credential, options: RowOptions): Safe {
  const { name, score, max_score } = credential;
  return html`<tr${score === 0 && html` class="soft"`}><th scope="row"><bdi>${name}</bdi>${measured(credential, options)}</th><td class="opt">${
    max_score > 0
      ? html`<svg class="meter" aria-hidden="true"><rect width="${percentOf(score, { end: max_score })}%"/></svg>`
      : html`<span class="small soft">no maximum given</span>`
  }</td><td class="num"><b>${shortTenths(score)}</b>${max_score > 0 && html` <span class="small soft">of ${shortHundredths(max_score)}</span>`}</td></tr>
`;
}

/** What was measured and when. The id tells repeated names apart. */
function measured(credential: Credential, { isRepeated, calculatedAt }: RowOptions): Safe | null {
  const { value, earned_at, score, max_score, id, last_calculated_at } = credential;
  const parts = [
    ...(value ? [html`<bdi>${value}</bdi>`] : []),
    ...(earned_at ? [dateOrText(earned_at)] : []),
    ...(!value && !earned_at && score === 0 ? [html`not earned`] : []),
    ...(max_score > 0 && score > max_score ? [html`above its maximum, as V1 sends it`] : []),
    ...(last_calculated_at !== null && last_calculated_at !== calculatedAt
      ? [html`calculated ${dateOrText(last_calculated_at)}`]
      : []),
    ...(isRepeated ? [html`<bdi>${id}</bdi>`] : []),
  ];
  return parts.length === 0
    ? null
    : html`<small>${parts.map((part, index) => html`${index > 0 && ", "}${part}`)}</small>`;
}

/** V1 normally sends dates here, but any text is possible. Only the day is shown; the time would be a tenth of the page. */
function dateOrText(text: string): Safe {
  const date = new Date(text);
  if (!DATE_TIME.test(text) || Number.isNaN(date.getTime())) return html`<bdi>${text}</bdi>`;
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${formatShortDay(date)}</time>`;
}
