import type { Credential } from "@credence/contract/credential.ts";
import { formatCount, formatMoment, formatShortDay } from "../dates.ts";
import { html, link, type Safe } from "../html.ts";
import { axis, bar, gap, rect } from "./bars.ts";
import { axisLabel, hundredths, isLong, tenths } from "./figures.ts";
import { clip } from "./names.ts";
import { type Scale, scaleOf } from "./scale.ts";

/** The components of the score. Credentials of other categories come after them, by name. */
const KNOWN_CATEGORIES = ["Activity", "Identity", "Skills"];
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

type CredentialOptions = {
  /** Whether credentials without points are left out. Sums are those of all. */
  hidesUnearned: boolean;
  /** When the passport was calculated. */
  calculatedAt: string | null;
};

/** All credentials by category, on one scale. Null: they could not be read. */
export function credentialSection(credentials: readonly Credential[] | null, requested: CredentialOptions): Safe {
  if (credentials === null || credentials.length === 0) {
    return html`<section aria-labelledby="credentials">
<h2 id="credentials">Credentials</h2>
<p>${
      credentials === null
        ? "The credentials could not be read just now. The score above is complete. Load this page again in a minute."
        : "V1 has no credentials for this passport."
    }</p>
</section>
`;
  }
  const scale = scaleOf(credentials.flatMap(({ score, max_score }) => [score, max_score]));
  const options = { ...requested, hidesUnearned: requested.hidesUnearned && !credentials.every(isUnearned) };
  return html`<section aria-labelledby="credentials">
<div class="head"><h2 id="credentials">${formatCount(credentials.length, "credential")}</h2>${totals(credentials)}</div>
<p class="small soft">The outline is the most a credential can give, the filled part is what it gave. All bars share one scale, 0 to ${axisLabel(scale.end)} points.${filterLink(credentials, options)}</p>
${groupByCategory(credentials).map(([category, items], index) => html`${categorySection(`c-${index + 1}`, category, items, scale, options)}`)}</section>
`;
}

const isUnearned = ({ score }: Credential): boolean => score === 0;

/** Relative to the page, so that it stays on it. */
function filterLink(credentials: readonly Credential[], { hidesUnearned }: CredentialOptions): Safe | null {
  const count = credentials.filter(isUnearned).length;
  if (count === 0 || count === credentials.length) return null;
  return hidesUnearned
    ? html` ${count} without points ${count === 1 ? "is" : "are"} hidden. <a href="${link("?#credentials")}">Show all</a>`
    : html` <a href="${link("?points=earned#credentials")}">Hide the ${count} without points</a>`;
}

function groupByCategory(credentials: readonly Credential[]): [string, Credential[]][] {
  const groups = Map.groupBy(credentials, ({ category }) => category);
  const others = [...groups.keys()].filter((name) => !KNOWN_CATEGORIES.includes(name)).sort();
  return [...KNOWN_CATEGORIES.filter((name) => groups.has(name)), ...others].map((name) => [
    name,
    (groups.get(name) ?? []).sort((a, b) => b.score - a.score),
  ]);
}

/** `203.5 of 254 points`. Without a sum of maxima if one is missing or exceeded. */
function totals(credentials: readonly Credential[]): Safe {
  const sum = credentials.reduce((total, { score }) => total + score, 0);
  const most = credentials.reduce((total, { max_score }) => total + max_score, 0);
  const isBounded = credentials.every(({ score, max_score }) => max_score > 0 && score <= max_score);
  return html`<span class="fig"><b>${tenths(sum)}</b>${isBounded && ` of ${hundredths(most)}`} points</span>`;
}

function categorySection(
  id: string,
  category: string,
  credentials: readonly Credential[],
  scale: Scale,
  options: CredentialOptions,
): Safe | null {
  const shown = options.hidesUnearned ? credentials.filter((credential) => !isUnearned(credential)) : credentials;
  if (shown.length === 0) return null;
  const isWide = isLong(credentials.flatMap(({ score, max_score }) => [score, max_score]));
  const names = Map.groupBy(credentials, ({ name }) => name);
  const isRepeated = ({ name }: Credential): boolean => (names.get(name)?.length ?? 0) > 1;
  return html`<section aria-labelledby="${id}">
<div class="head"><h3 id="${id}"><bdi>${category}</bdi></h3>${totals(credentials)}</div>
<div class="fit"><ul class="rows opens${isWide && " long"}">
${axis(scale)}${shown.map((credential) => credentialRow(credential, isRepeated(credential), scale, options))}</ul></div>
</section>
`;
}

function credentialRow(
  credential: Credential,
  isRepeated: boolean,
  scale: Scale,
  { calculatedAt }: CredentialOptions,
): Safe {
  const { name, score, max_score, id, type, value, last_calculated_at } = credential;
  return html`<li><details>
<summary class="row"><span class="name"><bdi>${name}</bdi>${measured(credential, isRepeated)}</span>${credentialBar(credential, scale)}<span class="fig"><b>${tenths(score)}</b>${max_score > 0 && ` of ${hundredths(max_score)}`}</span></summary>
<p>${pointsSentence(credential)}${value !== null && clip(value, SHORT_VALUE) !== value && html` Measured: <bdi>${value}</bdi>.`} Id <code><bdi>${id}</bdi></code>${type !== id && html`, type <code><bdi>${type}</bdi></code>`}.${
    last_calculated_at !== null &&
    last_calculated_at !== calculatedAt &&
    html` Calculated ${dateOrText(last_calculated_at, formatMoment)}.`
  }</p>
</details></li>
`;
}

const SHORT_VALUE = 60;

/** What was measured and when, below the name. The id tells repeated names apart. */
function measured({ value, earned_at, score, id }: Credential, isRepeated: boolean): Safe | null {
  const parts = [
    ...(value ? [html`<bdi>${clip(value, SHORT_VALUE)}</bdi>`] : []),
    ...(earned_at ? [dateOrText(earned_at, formatShortDay)] : []),
    ...(isRepeated ? [html`<bdi>${clip(id, SHORT_VALUE)}</bdi>`] : []),
  ];
  if (!value && !earned_at && score === 0) parts.unshift(html`not earned`);
  return parts.length === 0
    ? null
    : html`<small>${parts.map((part, index) => html`${index > 0 && ", "}${part}`)}</small>`;
}

/** The outline is the maximum. A fill beyond it runs on, and a gap marks the maximum. */
function credentialBar({ score, max_score }: Credential, scale: Scale): Safe {
  const rects: Safe[] = [];
  if (max_score > 0) rects.push(rect("t", 0, max_score, scale));
  if (score > 0) rects.push(rect("f", 0, score, scale));
  if (max_score > 0 && score > max_score) rects.push(gap(max_score, scale));
  return bar(rects);
}

function pointsSentence({ score, max_score }: Credential): string {
  if (max_score === 0) return "No maximum is given, so there is no outline.";
  if (score > max_score) return `${hundredths(score - max_score)} points above its maximum, as V1 sends it.`;
  return score === max_score ? "All points were earned." : `${hundredths(max_score - score)} points were not earned.`;
}

/** V1 normally sends dates here, but any text is possible. */
function dateOrText(text: string, format: (date: Date) => string): Safe {
  const date = new Date(text);
  if (!DATE_TIME.test(text) || Number.isNaN(date.getTime())) return html`<bdi>${clip(text, SHORT_VALUE)}</bdi>`;
  return html`<time datetime="${date.toISOString()}">${format(date)}</time>`;
}
