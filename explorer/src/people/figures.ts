const TENTHS = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const HUNDREDTHS = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const WHOLE = new Intl.NumberFormat("en");
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** With one decimal, for rows and tables, so that the points align: `9.5`, `1,204.0`, `<0.1`. */
export const tenths = (value: number): string => (value > 0 && value < 0.05 ? "<0.1" : TENTHS.format(value));

/** With at most two decimals, for the headline and sentences: `212`, `9.25`. */
export const hundredths = (value: number): string => (value > 0 && value < 0.005 ? "<0.01" : HUNDREDTHS.format(value));

/** `1st`, `22nd`, `1,011th`. */
export const ordinal = (value: number): string => `${whole(value)}${SUFFIXES.get(ORDINAL.select(value)) ?? "th"}`;

const ORDINAL = new Intl.PluralRules("en", { type: "ordinal" });
const SUFFIXES = new Map([
  ["one", "st"],
  ["two", "nd"],
  ["few", "rd"],
]);

export const whole = (value: number): string => WHOLE.format(value);

const MAX_AXIS_DIGITS = 100_000;

/** A label of an axis, which has little room: `50`, `0.02`, `2M`. */
export const axisLabel = (value: number): string =>
  value >= MAX_AXIS_DIGITS ? COMPACT.format(value) : String(Number(value.toPrecision(6)));

const LONG = 100_000;

/** Six digits or more need a wider column. */
export const isLong = (values: readonly number[]): boolean => values.some((value) => value >= LONG);
