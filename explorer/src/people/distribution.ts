import { formatLongMonth } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { axisLabel, hundredths } from "./figures.ts";
import { type Scale, scaleOf } from "./scale.ts";

/** How the scores of the list are distributed. */
export type Distribution = {
  /** The width of a bin in points. */
  step: number;
  /** People in bins of equal width from 0 on; the last has the rest. */
  bins: readonly number[];
  /** The score that 1 %, 2 %, … 99 % of the scores do not exceed. */
  cuts: readonly number[];
};

/** What pages say about the list as a whole. */
export type ListInfo = {
  total: number;
  builtAt: Date;
  /** Null: no person has a date. */
  newestScoreAt: Date | null;
  oldestScoreAt: Date | null;
  /** Null with too few scores. */
  distribution: Distribution | null;
};

/** Where a score is in the list. */
export type Place = { rank: number } & Pick<ListInfo, "total" | "builtAt" | "distribution">;

/** Of the labels below the bars. */
const LABEL_HEIGHT = 20;
/** Of the label of a score, above the bars. */
const MARK_HEIGHT = 24;
const LABEL_EVERY = 5;
const MIN_BAR_HEIGHT = 2;
/** Of the room of a bar: the rest separates it from the next one. */
const BAR_SHARE = 0.81;

/**
 * All scores as bars. With a score, only its bar is filled, and has its number: a name could be written
 * from right to left, and SVG cannot isolate it. The words beside the chart say the same.
 */
export function distributionChart(distribution: Distribution, score: number | null, height = 64): Safe {
  const { step, bins } = distribution;
  const room = 100 / bins.length;
  const highest = Math.max(1, ...bins);
  const filled = score === null ? null : binOf(distribution, score);
  const bottom = height + (score === null ? 0 : MARK_HEIGHT);
  const heightOf = (people: number): number => Math.max(MIN_BAR_HEIGHT, Math.round((people / highest) * height));
  const bars = bins.flatMap((people, index) => {
    if (people === 0) return [];
    const barHeight = heightOf(people);
    const kind = filled === null || filled === index ? "f" : "t";
    return html`<rect class="${kind}" x="${percent(index * room)}%" y="${bottom - barHeight}" width="${percent(room * BAR_SHARE)}%" height="${barHeight}"/>`;
  });
  const y = bottom + LABEL_HEIGHT - 3;
  const last = bins.length - 1;
  const labels = Array.from(
    { length: last / LABEL_EVERY },
    (_, index) =>
      html`<text x="${percent(index * LABEL_EVERY * room)}%" y="${y}">${axisLabel(index * LABEL_EVERY * step)}</text>`,
  );
  return html`<svg class="dist" height="${bottom + LABEL_HEIGHT}" aria-hidden="true">${bars}<rect class="l" y="${bottom}" width="100%" height="1"/>${score !== null && filled !== null && mark(score, (filled + shareOf(distribution, score, filled)) * room, bottom - heightOf(bins[filled] ?? 0))}${labels}<text x="100%" y="${y}" text-anchor="end">${axisLabel(last * step)}+</text></svg>`;
}

/** Where in its bar a score is. The last bar has no end, so there it is the middle. */
const shareOf = ({ step, bins }: Distribution, score: number, bin: number): number =>
  bin === bins.length - 1 ? BAR_SHARE / 2 : Math.min(score / step - bin, BAR_SHARE);

const MARK_LINE = 18;

/** The number of a score, with a line down to its bar. */
function mark(score: number, x: number, barTop: number): Safe {
  const isRight = x > 50;
  return html`<rect class="l" x="${percent(x)}%" y="${MARK_LINE}" width="1" height="${Math.max(0, barTop - MARK_LINE)}"/><text class="n" x="${percent(isRight ? x + 1.2 : Math.max(0, x - 1.2))}%" y="13"${isRight && html` text-anchor="end"`}>${hundredths(score)}: here</text>`;
}

const percent = (value: number): number => Math.round(value * 100) / 100;

/** As the build of the list counts. */
export const binOf = ({ step, bins }: Pick<Distribution, "step" | "bins">, score: number): number =>
  Math.min(bins.length - 1, Math.floor(score / step));

/** How many percent of the scores are lower, rounded down. Equal scores are not lower. */
export const percentBelow = ({ cuts }: Distribution, score: number): number => cuts.filter((cut) => cut < score).length;

/** How many people have a rank: those with a score. */
export const countRanks = ({ total, distribution }: ListInfo): number =>
  distribution === null ? total : distribution.bins.reduce((sum, people) => sum + people, 0);

/** One scale for the whole list, so that bars of all its pages can be compared: what 99 % of the scores reach. */
export const listScale = ({ distribution }: ListInfo, scores: readonly number[]): Scale =>
  scaleOf(distribution === null ? scores : [distribution.cuts.at(-1) ?? 0]);

/** When the scores were calculated: `February 2024 to March 2025`. Null: no score has a date. */
export function scorePeriod({ newestScoreAt, oldestScoreAt }: ListInfo): string | null {
  if (newestScoreAt === null || oldestScoreAt === null) return null;
  const [from, to] = [formatLongMonth(oldestScoreAt), formatLongMonth(newestScoreAt)];
  return from === to ? from : `${from} to ${to}`;
}

/** Whether the newest score was old when the list was built. */
export const isOldList = ({ newestScoreAt, builtAt }: ListInfo): boolean =>
  newestScoreAt !== null && builtAt.getTime() - newestScoreAt.getTime() > OLD_MS;

/** The age of the list. Amber: it is old. */
export function agePill(info: ListInfo): Safe {
  const period = scorePeriod(info);
  if (period === null) return html`<span class="pill">V1 does not say when the scores were calculated</span>`;
  return html`<span class="pill${isOldList(info) && " old"}">Scores of ${period}</span>`;
}

/** From this age on, a score may be out of date. */
export const OLD_MS = 90 * 86_400_000;

/** The middle and the top tenth in a sentence. */
export const describeScores = ({ cuts }: Distribution): string =>
  `Half have ${hundredths(cuts[49] ?? 0)} points or fewer; the top tenth more than ${hundredths(cuts[89] ?? 0)}.`;
