import { html, type Safe } from "../html.ts";
import type { SiteLinks } from "../site-links.ts";
import { describeScores, distributionChart, type Place, percentBelow } from "./distribution.ts";
import { hundredths, ordinal, tenths, whole } from "./figures.ts";
import { isSum, partsBar, partsKey, type Scores, sumOfParts, swatch } from "./parts.ts";

type Standing = {
  /** Null if it cannot be said: without a score, without a place in the list, or just now. */
  place: Place | null;
  to: SiteLinks["to"];
};

/** The answer of a passport: score, rank, parts, and where it is among all scores. */
export function scoreCard(scores: Scores, standing: Standing): Safe {
  const { score } = scores;
  return html`<section class="card" aria-labelledby="score">
<h2 id="score" class="vh">Score</h2>
${score === null ? withoutScore(scores) : score === 0 && sumOfParts(scores) === 0 ? zero(standing) : withScore(scores, score, standing)}</section>`;
}

const figure = (score: number): Safe => html`<p class="figure">${hundredths(score)}<small>points</small></p>`;

function withScore(scores: Scores, score: number, { place, to }: Standing): Safe {
  const distribution = place?.distribution ?? null;
  return html`<div class="stack hero"><div class="stack tight">${figure(score)}
${placeText(place, score, to)}</div>
${partsOfScore(scores)}</div>
${
  distribution !== null &&
  html`<figure>${distributionChart(distribution, score)}<figcaption class="small soft"><span class="vh">Scores of everyone listed. </span>${describeScores(distribution)}</figcaption></figure>
`
}`;
}

const zero = ({ place, to }: Standing): Safe => html`<div class="stack tight">${figure(0)}
${placeText(place, 0, to)}
<p>V1 calculated this score and found no points: none for activity, identity or skills.</p></div>
`;

const withoutScore = (
  scores: Scores,
): Safe => html`<div class="stack hero"><div class="stack tight"><p class="figure as-text">No score</p>
<p class="place">Listed at the end, without a rank</p></div>
${partsOfScore(scores)}</div>
<p class="small">V1 sent three parts but no score, and does not say why. No score is not a score of zero.</p>
`;

function placeText(place: Place | null, score: number, to: SiteLinks["to"]): Safe | null {
  if (place === null) return null;
  const { rank, total, distribution } = place;
  const percent = distribution === null ? 0 : percentBelow(distribution, score);
  return html`<p class="place"><a href="${to(`/leaderboard?rank=${rank}`)}">${ordinal(rank)} of ${whole(total)}</a>${
    rank === 1 ? html`<br>The highest score` : percent > 0 && html`<br>Higher than ${percent} % of people`
  }</p>`;
}

/** The bar of a score, its key, and what the parts do not explain. */
export function partsOfScore(scores: Scores): Safe {
  const { score } = scores;
  const sum = sumOfParts(scores);
  const fits = score === null || isSum(score, sum);
  const more =
    score === null
      ? html`<li>Together <b>${tenths(sum)}</b></li>`
      : !fits && score > sum
        ? html`<li>${swatch("x")}Not explained <b>${tenths(score - sum)}</b></li>`
        : null;
  return html`<div class="stack">${partsBar(scores)}
${partsKey(scores, more)}${!fits && html`\n<p class="small">${explain(score, sum)}</p>`}</div>`;
}

function explain(score: number, sum: number): Safe {
  const start = html`<b>The parts do not add up.</b> Activity, identity and skills make ${tenths(sum)} points`;
  return score > sum
    ? html`${start}; the score is ${tenths(score)}. V1 does not say where the other ${tenths(score - sum)} come from.`
    : html`${start}, ${tenths(sum - score)} more than the score of ${tenths(score)}. V1 does not say why.`;
}
