import type { PassportDetail } from "@credence/contract/passport.ts";
import { formatAge, formatDay } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { axis, bar, gap, rect } from "./bars.ts";
import { hundredths, isLong, tenths } from "./figures.ts";
import { type Scale, scaleOf } from "./scale.ts";

type Scores = Pick<PassportDetail, "score" | "activity_score" | "identity_score" | "skills_score">;

const TOLERANCE = 1e-9;
const TOTAL_HEIGHT = 20;

/** The score, its date, and what it is made of. */
export function scoreSection(passport: PassportDetail, now: Date): Safe {
  const { score, last_calculated_at } = passport;
  return html`<section aria-labelledby="score">
<h2 id="score">Score</h2>
${
  score === null
    ? html`<p class="figure as-text">No score</p>`
    : html`<p class="figure">${hundredths(score)}<small>points</small></p>`
}
<p>${asOf(last_calculated_at, now)} ${passport.calculating_score && "It is being recalculated."}</p>
<h3>What the score is made of</h3>
${composition(passport)}
</section>
`;
}

function asOf(calculatedAt: string | null, now: Date): Safe {
  if (calculatedAt === null) return html`V1 does not say when it was calculated.`;
  const date = new Date(calculatedAt);
  return html`As of <time datetime="${calculatedAt}">${formatDay(date)}</time>, ${formatAge(date, now)}.`;
}

type Part = { name: string; points: number };

const partsOf = (scores: Scores): Part[] => [
  { name: "Activity", points: scores.activity_score },
  { name: "Identity", points: scores.identity_score },
  { name: "Skills", points: scores.skills_score },
];

function composition(scores: Scores): Safe {
  const parts = partsOf(scores);
  const sum = parts.reduce((total, { points }) => total + points, 0);
  const { score } = scores;
  const rest = score === null ? 0 : score - sum;
  const fits = Math.abs(rest) <= TOLERANCE * Math.max(1, sum);
  const scale = scaleOf([score ?? 0, sum]);
  let at = 0;
  const rows = parts.map(({ name, points }) => {
    const from = at;
    at += points;
    return row(html`${name}`, bar([rect("f", from, at, scale)]), points);
  });
  return html`<div class="fit"><ul class="rows${isLong([sum, score ?? 0]) && " long"}">
${axis(scale)}${score !== null && totalRow(score, parts, fits ? 0 : rest, scale)}${rows}${
  score !== null && !fits && restRow(score, sum, scale)
}</ul></div>
<p class="small">${explanation(score, sum, fits)}</p>`;
}

const row = (name: Safe, picture: Safe, points: number): Safe =>
  html`<li class="row"><span>${name}</span>${picture}<span class="fig"><b>${tenths(points)}</b></span></li>
`;

/** The score as one bar, cut at its parts. If the parts exceed it, it is not cut. */
function totalRow(score: number, parts: readonly Part[], rest: number, scale: Scale): Safe {
  const rects: Safe[] = [];
  if (rest < 0) rects.push(rect("f", 0, score, scale, TOTAL_HEIGHT));
  else {
    const explained = score - rest;
    rects.push(rect("f", 0, explained, scale, TOTAL_HEIGHT));
    if (rest > 0) rects.push(rect("x", explained, score, scale, TOTAL_HEIGHT));
    let at = 0;
    for (const { points } of parts.slice(0, -1)) {
      at += points;
      if (at > 0 && at < explained) rects.push(gap(at, scale, TOTAL_HEIGHT));
    }
  }
  return html`<li class="row total"><span>Score</span>${bar(rects, TOTAL_HEIGHT)}<span class="fig"><b>${tenths(score)}</b></span></li>
`;
}

function restRow(score: number, sum: number, scale: Scale): Safe {
  const [from, to] = score > sum ? [sum, score] : [score, sum];
  const name = score > sum ? html`Not explained` : html`Beyond the score`;
  return row(name, bar([rect("x", from, to, scale)]), to - from);
}

function explanation(score: number | null, sum: number, fits: boolean): Safe {
  if (score === null) {
    return html`There is no overall score in the data. The three parts are shown as they were sent; together they are ${tenths(sum)} points.`;
  }
  if (fits) return html`The three parts add up to the score.`;
  const start = html`<b>The parts do not add up.</b> Activity, identity and skills make ${tenths(sum)} points`;
  return score > sum
    ? html`${start}; the score is ${tenths(score)}. V1 does not say where the other ${tenths(score - sum)} come from.`
    : html`${start}, ${tenths(sum - score)} more than the score of ${tenths(score)}. V1 does not say why.`;
}
