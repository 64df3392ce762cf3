import { isObject } from "../sample.ts";

/** A number as the server wrote it. JSON.parse would turn 1.0 into 1 and round long numbers. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type ParsedBody = { value: unknown; hasDuplicateNames: boolean };

/**
 * Parses JSON and keeps the text of numbers. The fields of an object keep their order, except
 * fields whose names are integers, which V1 does not have. Null if the text is not JSON.
 */
export function parseBody(text: string): ParsedBody | null {
  let fields = 0;
  const keepNumber = (_: string, value: unknown, context?: { source?: string }): unknown => {
    if (isObject(value)) fields += Object.keys(value).length;
    return typeof value === "number" ? new JsonNumber(context?.source ?? String(value)) : value;
  };
  try {
    const value: unknown = JSON.parse(text, keepNumber);
    return { value, hasDuplicateNames: countNames(text) > fields };
  } catch {
    return null;
  }
}

/** Counts the names of fields: strings before a colon. */
function countNames(text: string): number {
  let names = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) names += 1;
  return names;
}

export type JsonType = "null" | "boolean" | "number" | "string" | "array" | "object" | "absent";

export function typeOf(value: unknown): JsonType {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (value instanceof JsonNumber) return "number";
  if (Array.isArray(value)) return "array";
  return typeof value as "boolean" | "string" | "object";
}

/** The value of a number as digits and exponent, so that 1, 1.0 and 10e-1 are equal. */
export function canonicalNumber(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`;
}

/** A text such as "17.50". */
export const isNumericText = (value: unknown): value is string =>
  typeof value === "string" && /^\d+(\.\d+)?$/.test(value);

/** Whether two values are equal, or a text is the number that the other server sends. */
export const isSameValue = (old: unknown, next: unknown): boolean =>
  canonicalText(old) === canonicalText(next) ||
  (isNumericText(old) && next instanceof JsonNumber && canonicalNumber(old) === canonicalNumber(next.text));

/** An id as text, the same for 7, 7.0 and "7". */
export function idText(value: unknown): string {
  if (!(value instanceof JsonNumber)) return String(value);
  const id = Number(value.text);
  return Number.isSafeInteger(id) ? String(id) : value.text;
}

/** What a number's text shows besides its value: an exponent, or zeros at the end of the fraction. */
export function numberFormat(text: string): string {
  const [mantissa = ""] = text.split(/e/i, 1);
  const zeros = /\.\d*0$/.test(mantissa) ? "zeros " : "";
  return `${zeros}${mantissa.length < text.length ? "exponent" : ""}`;
}

/** A value as text that is equal for equal values: for fields that V1 does not have. */
export const canonicalText = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => {
    if (item instanceof JsonNumber) return { number: canonicalNumber(item.text) };
    return isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item;
  }) ?? "";
