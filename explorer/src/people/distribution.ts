import { html, type Safe } from "../html.ts";
import { axisLabel, hundredths, whole } from "./figures.ts";

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

const LABEL_HEIGHT = 20;
const LABEL_EVERY = 5;
const MIN_BAR_HEIGHT = 2;
/** Of the room of a bar: the rest separates it from the next one. */
const BAR_SHARE = 0.81;

/** All scores as bars. With a score, only its bar is filled. The words beside it say the same. */
export function distributionChart(distribution: Distribution, score: number | null, height = 72): Safe {
  const { step, bins } = distribution;
  const room = 100 / bins.length;
  const highest = Math.max(1, ...bins);
  const filled = score === null ? null : binOf(distribution, score);
  const bars = bins.flatMap((people, index) => {
    if (people === 0) return [];
    const barHeight = Math.max(MIN_BAR_HEIGHT, Math.round((people / highest) * height));
    const kind = filled === null || filled === index ? "f" : "t";
    return html`<rect class="${kind}" x="${percent(index * room)}%" y="${height - barHeight}" width="${percent(room * BAR_SHARE)}%" height="${barHeight}"/>`;
  });
  const y = height + LABEL_HEIGHT - 3;
  const last = bins.length - 1;
  const labels = Array.from(
    { length: last / LABEL_EVERY },
    (_, index) =>
      html`<text x="${percent(index * LABEL_EVERY * room)}%" y="${y}">${axisLabel(index * LABEL_EVERY * step)}</text>`,
  );
  return html`<svg class="dist" height="${height + LABEL_HEIGHT}" aria-hidden="true">${bars}<rect class="l" y="${height}" width="100%" height="1"/>${labels}<text x="100%" y="${y}" text-anchor="end">${axisLabel(last * step)}+</text></svg>`;
}

const percent = (value: number): number => Math.round(value * 100) / 100;

/** As the build of the list counts. */
export const binOf = ({ step, bins }: Pick<Distribution, "step" | "bins">, score: number): number =>
  Math.min(bins.length - 1, Math.floor(score / step));

/** `10 to 20 points, which 36 others have`. */
export function describeBin(distribution: Distribution, score: number): string {
  const { step, bins } = distribution;
  const bin = binOf(distribution, score);
  const range =
    bin === bins.length - 1
      ? `${axisLabel(bin * step)} points or more`
      : `${axisLabel(bin * step)} to ${axisLabel((bin + 1) * step)} points`;
  const others = Math.max(0, (bins[bin] ?? 0) - 1);
  return `${range}, which ${others === 0 ? "nobody else has" : others === 1 ? "1 other has" : `${whole(others)} others have`}`;
}

/** How many percent of the scores are lower, rounded down. Equal scores are not lower. */
export const percentBelow = ({ cuts }: Distribution, score: number): number => cuts.filter((cut) => cut < score).length;

/** The middle and the top tenth in a sentence. */
export function describeScores({ cuts }: Distribution): string {
  const [half, tenth] = [cuts[49] ?? 0, cuts[89] ?? 0];
  return `At least half of the people have ${hundredths(half)} points or fewer. At most one in ten has more than ${hundredths(tenth)}.`;
}
