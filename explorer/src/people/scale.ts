/** The scale of a group of bars, from 0 to `end`. The steps are labelled. */
export type Scale = { end: number; steps: readonly number[] };

const MAX_STEPS = 5;
/** Smaller values have no visible bar. The smallest numbers cannot be divided into steps. */
const NEGLIGIBLE = 1e-6;

/** The smallest scale for all values, in at most `maxSteps` steps of 1, 2 or 5 times a power of ten. */
export function scaleOf(values: readonly number[], maxSteps = MAX_STEPS): Scale {
  const largest = Math.max(0, ...values);
  const step = largest < NEGLIGIBLE ? 1 : stepOf(largest / maxSteps);
  const count = Math.max(1, Math.ceil(largest / step - 1e-9));
  // The product of a count and a fraction such as 0.2 may have a rounding error.
  const steps = Array.from({ length: count }, (_, index) => Number(((index + 1) * step).toPrecision(12)));
  return { end: steps.at(-1) as number, steps };
}

/** The smallest step that is not smaller than `minimum`. */
function stepOf(minimum: number): number {
  const power = 10 ** Math.floor(Math.log10(minimum));
  for (const factor of [1, 2, 5]) if (factor * power >= minimum * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/** The share of the scale in percent, at most 100. A tenth of a percent is less than a pixel. */
export const percentOf = (value: number, { end }: Pick<Scale, "end">): number => {
  const percent = Math.min(100, (value / end) * 100);
  return Math.round(percent * 10) / 10;
};
