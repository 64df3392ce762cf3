import type { PassportDetail } from "@credence/contract/passport.ts";
import { formatAge, formatDay, formatMoment } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import type { SiteLinks } from "../site-links.ts";
import { axis, bar, isSum, rect, scoreBar } from "./bars.ts";
import { type Distribution, describeBin, distributionChart, type ListInfo, percentBelow } from "./distribution.ts";
import { hundredths, isLong, ordinal, tenths, whole } from "./figures.ts";
import { type Scale, scaleOf } from "./scale.ts";

type Scores = Pick<PassportDetail, "score" | "activity_score" | "identity_score" | "skills_score">;

/** Where a score is in the list. */
export type Place = { rank: number } & Pick<ListInfo, "total" | "builtAt" | "distribution">;

type ScoreView = {
  passport: PassportDetail;
  /** Null if it cannot be said: without a score, without a place in the list, or just now. */
  place: Place | null;
  now: Date;
  /** Links to the parts of the page, below the score. */
  jumps: Safe;
  to: SiteLinks["to"];
};

/** The score, how it compares, its date, and what it is made of. */
export function scoreSection({ passport, place, now, jumps, to }: ScoreView): Safe {
  const { score, last_calculated_at, calculating_score } = passport;
  const date = html`<p class="small soft">${asOf(last_calculated_at, now)}${calculating_score && " It is being recalculated."}</p>`;
  return html`<section aria-labelledby="score">
<h2 id="score" class="vh">Score</h2>
<div class="standing"><div class="stack">
${
  score === null
    ? html`<p class="figure as-text">No score</p>
${!passport.merged && html`<p class="place">Listed at the end, without a rank.</p>`}
${date}
</div>
<p class="small soft">V1 sent no score for this person and does not say why. No score is not a score of zero.</p>`
    : html`<p class="figure">${hundredths(score)}<small>points</small></p>
${place !== null && placeText(place, score, to)}
${date}
</div>
${place !== null && place.distribution !== null && placeChart(place, place.distribution, score)}`
}
</div>
${jumps}
<h3>What the score is made of</h3>
${composition(passport)}
</section>
`;
}

function placeText({ rank, total, distribution }: Place, score: number, to: SiteLinks["to"]): Safe {
  const percent = distribution === null ? 0 : percentBelow(distribution, score);
  return html`<p class="place"><a href="${to(`/leaderboard?rank=${rank}`)}">${ordinal(rank)} of ${whole(total)}</a> people listed.${
    rank === 1 ? " The highest score." : percent > 0 && ` Higher than ${percent} %.`
  }</p>`;
}

const placeChart = ({ builtAt }: Place, distribution: Distribution, score: number): Safe =>
  html`<figure>${distributionChart(distribution, score)}<figcaption class="small soft">Scores of everyone in the list, which was built on <time datetime="${builtAt.toISOString()}">${formatMoment(builtAt)}</time>. The filled bar is where this score is: ${describeBin(distribution, score)}.</figcaption></figure>`;

function asOf(calculatedAt: string | null, now: Date): Safe {
  if (calculatedAt === null) return html`V1 does not say when it was calculated.`;
  const date = new Date(calculatedAt);
  return html`Calculated on <time datetime="${calculatedAt}">${formatDay(date)}</time>, ${formatAge(date, now)}.`;
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
  const fits = score === null || isSum(score, sum);
  const scale = scaleOf([score ?? 0, sum]);
  let end = 0;
  const rows = parts.map(({ name, points }) => {
    const from = end;
    end += points;
    return row(html`${name}`, bar([rect("f", from, end, scale)]), points);
  });
  return html`<div class="fit"><ul class="rows${isLong([sum, score ?? 0]) && " long"}">
${axis(scale)}${score !== null && totalRow(score, parts, scale)}${rows}${
  score !== null && !fits && restRow(score, sum, scale)
}</ul></div>
<p class="small">${explanation(score, sum, fits)}</p>`;
}

const row = (name: Safe, picture: Safe, points: number): Safe =>
  html`<li class="row"><span>${name}</span>${picture}<span class="fig"><b>${tenths(points)}</b></span></li>
`;

const totalRow = (score: number, parts: readonly Part[], scale: Scale): Safe =>
  html`<li class="row total"><span>Score</span>${scoreBar(
    score,
    parts.map(({ points }) => points),
    scale,
    "tall",
  )}<span class="fig"><b>${tenths(score)}</b></span></li>
`;

function restRow(score: number, sum: number, scale: Scale): Safe {
  const [from, to] = score > sum ? [sum, score] : [score, sum];
  const name = score > sum ? html`Not explained` : html`Beyond the score`;
  return row(name, bar([rect("x", from, to, scale)]), to - from);
}

function explanation(score: number | null, sum: number, fits: boolean): Safe {
  if (score === null) {
    return html`The data has no overall score. The three parts are shown as they were sent; together they are ${tenths(sum)} points.`;
  }
  if (fits) return html`The three parts add up to the score.`;
  const start = html`<b>The parts do not add up.</b> Activity, identity and skills make ${tenths(sum)} points`;
  return score > sum
    ? html`${start}; the score is ${tenths(score)}. V1 does not say where the other ${tenths(score - sum)} come from.`
    : html`${start}, ${tenths(sum - score)} more than the score of ${tenths(score)}. V1 does not say why.`;
}
