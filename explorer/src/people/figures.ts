const TENTHS = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const HUNDREDTHS = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const WHOLE = new Intl.NumberFormat("en");
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** With one decimal, for rows and tables, so that the points align: `9.5`, `1,204.0`, `<0.1`. */
export function tenths(value: number): string {
  // Most points. The format takes ten times as long, and differs only for values that have to be rounded or grouped.
  if (value >= 0 && value < 1_000 && Number.isInteger(value * 10)) return value.toFixed(1);
  return value > 0 && value < 0.05 ? "<0.1" : TENTHS.format(value);
}

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

/** From here on, an axis and a cell of a table on a phone have no room for all digits. */
const LONG = 100_000;

/** `12.3K`, `2M`. */
export const compact = (value: number): string => COMPACT.format(value);

/** A label of an axis, which has little room: `50`, `0.02`, `2M`. */
export const axisLabel = (value: number): string =>
  value >= LONG ? compact(value) : String(Number(value.toPrecision(6)));

/** `tenths` and `hundredths` where there is little room. */
export const shortTenths = (value: number): string => (value >= LONG ? compact(value) : tenths(value));
export const shortHundredths = (value: number): string => (value >= LONG ? compact(value) : hundredths(value));
