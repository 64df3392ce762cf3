import type { Credential } from "@credence/contract/credential.ts";
import { formatCount, formatMoment } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { axis, bar, gap, rect } from "./bars.ts";
import { axisLabel, hundredths, isLong, tenths } from "./figures.ts";
import { type Scale, scaleOf } from "./scale.ts";

/** The components of the score. Credentials of other categories come after them, by name. */
const KNOWN_CATEGORIES = ["Activity", "Identity", "Skills"];
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

/** All credentials by category, on one scale. Null: they could not be read. */
export function credentialSection(credentials: readonly Credential[] | null): Safe {
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
  return html`<section aria-labelledby="credentials">
<div class="head"><h2 id="credentials">Credentials</h2>${totals(credentials)}</div>
<p class="small soft">The outline is the most a credential can give; the filled part is what it gave. All bars are drawn on the same scale, 0 to ${axisLabel(scale.end)} points. Open a credential to see what was measured.</p>
${groupByCategory(credentials).map(([category, items], at) => categorySection(`c-${at + 1}`, category, items, scale))}</section>
`;
}

function groupByCategory(credentials: readonly Credential[]): [string, Credential[]][] {
  const groups = Map.groupBy(credentials, ({ category }) => category);
  const others = [...groups.keys()].filter((name) => !KNOWN_CATEGORIES.includes(name)).sort();
  return [...KNOWN_CATEGORIES.filter((name) => groups.has(name)), ...others].map((name) => [
    name,
    (groups.get(name) ?? []).sort((a, b) => b.score - a.score),
  ]);
}

/** `203.5 of 254 points in 23 credentials`. Without a sum of maxima if one is missing or exceeded. */
function totals(credentials: readonly Credential[]): Safe {
  const sum = credentials.reduce((total, { score }) => total + score, 0);
  const most = credentials.reduce((total, { max_score }) => total + max_score, 0);
  const isBounded = credentials.every(({ score, max_score }) => max_score > 0 && score <= max_score);
  return html`<span class="fig"><b>${tenths(sum)}</b>${isBounded && ` of ${hundredths(most)}`} points in ${formatCount(credentials.length, "credential")}</span>`;
}

function categorySection(id: string, category: string, credentials: readonly Credential[], scale: Scale): Safe {
  const isWide = isLong(credentials.flatMap(({ score, max_score }) => [score, max_score]));
  return html`<section aria-labelledby="${id}">
<div class="head"><h3 id="${id}"><bdi>${category}</bdi></h3>${totals(credentials)}</div>
<div class="fit"><ul class="rows opens${isWide && " long"}">
${axis(scale)}${credentials.map((credential) => credentialRow(credential, scale))}</ul></div>
</section>
`;
}

function credentialRow(credential: Credential, scale: Scale): Safe {
  const { name, score, max_score } = credential;
  return html`<li><details>
<summary class="row"><span class="name"><bdi>${name}</bdi></span>${credentialBar(credential, scale)}<span class="fig"><b>${tenths(score)}</b>${max_score > 0 && ` of ${hundredths(max_score)}`}</span></summary>
<dl class="facts">
<dt>Points</dt><dd>${pointsSentence(credential)}</dd>
<dt>Measured</dt><dd>${textOr(credential.value, "not given")}</dd>
<dt>Earned</dt><dd>${dateOrText(credential.earned_at, "not earned")}</dd>
<dt>Calculated</dt><dd>${dateOrText(credential.last_calculated_at, "not given")}</dd>
<dt>Type and id</dt><dd><code><bdi>${credential.type}</bdi></code>, <code><bdi>${credential.id}</bdi></code></dd>
</dl>
</details></li>
`;
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
  if (max_score === 0) return `${hundredths(score)}. No maximum is given, so there is no outline.`;
  const start = `${hundredths(score)} of at most ${hundredths(max_score)}.`;
  if (score > max_score) return `${start} ${hundredths(score - max_score)} above its maximum, as V1 sends it.`;
  if (score === max_score) return start;
  return `${start} ${hundredths(max_score - score)} points were not earned.`;
}

const textOr = (text: string | null, missing: string): Safe =>
  text === null || text === "" ? html`<span class="soft">${missing}</span>` : html`<bdi>${text}</bdi>`;

/** V1 normally sends dates here, but any text is possible. */
function dateOrText(text: string | null, missing: string): Safe {
  const date = new Date(text ?? Number.NaN);
  if (text === null || !DATE_TIME.test(text) || Number.isNaN(date.getTime())) return textOr(text, missing);
  return html`<time datetime="${date.toISOString()}">${formatMoment(date)}</time>`;
}
