import { data, type Emit, form, type Path } from "./difference.ts";
import {
  canonicalNumber,
  canonicalText,
  isNumericText,
  isSameValue,
  JsonNumber,
  numberFormat,
  typeOf,
} from "./json.ts";

/** What V1 says about a field. */
export type FieldRule = { isNullable: boolean; isDateTime: boolean; isWallet: boolean; isNumber: boolean };

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;
const HAS_OFFSET = /(Z|[+-]\d{2}:?\d{2})$/;
const EVM_WALLET = /^0x[0-9a-f]{40}$/i;

/** The time of an ISO 8601 text, in UTC if it has no offset; null if it is none. */
export function timeOf(value: unknown): number | null {
  if (typeof value !== "string" || !DATE_TIME.test(value)) return null;
  const time = Date.parse(HAS_OFFSET.test(value) ? value : `${value}Z`);
  return Number.isNaN(time) ? null : time;
}

/**
 * The order of two ISO 8601 texts: below 0 if the first is earlier. A server may leave out the
 * fraction of a second, so the fraction counts only as far as both have it. Null if one is no time.
 */
export function compareTimes(first: unknown, second: unknown): number | null {
  const [a, b] = [timeOf(first), timeOf(second)];
  if (a === null || b === null) return null;
  const digits = Math.min(...[first, second].map((text) => /\.(\d+)/.exec(String(text))?.[1]?.length ?? 0), 3);
  const unitMs = 10 ** (3 - digits);
  return Math.floor(a / unitMs) - Math.floor(b / unitMs);
}

/** EVM addresses are the same in any case; those of other chains are not. */
export const canonicalWallet = (value: unknown): unknown =>
  typeof value === "string" && EVM_WALLET.test(value) ? value.toLowerCase() : value;

/**
 * Compares two values that are neither objects nor arrays of V1. One pair can differ in form and in
 * data: 12 and 13.0.
 */
export function compareScalars(path: Path, old: unknown, next: unknown, rule: FieldRule, emit: Emit): void {
  const [oldType, newType] = [typeOf(old), typeOf(next)];
  if (oldType !== newType) {
    const isData = rule.isNullable && (oldType === "null" || newType === "null");
    emit(path, isData ? data("value", old, next) : form("type", old, next));
    // A number as text differs in form, and perhaps in its value too.
    if (rule.isNumber && isNumericText(old) && newType === "number" && !isSameValue(old, next))
      emit(path, data("value", old, next));
  } else if (old instanceof JsonNumber && next instanceof JsonNumber) {
    compareNumbers(path, old, next, emit);
  } else if (typeof old === "string" && typeof next === "string") {
    compareTexts(path, old, next, rule, emit);
  } else if (canonicalText(old) !== canonicalText(next)) {
    emit(path, data("value", old, next));
  }
}

function compareNumbers(path: Path, old: JsonNumber, next: JsonNumber, emit: Emit): void {
  if (old.text === next.text) return;
  const isEqual = canonicalNumber(old.text) === canonicalNumber(next.text);
  if (!isEqual) emit(path, data("value", old, next));
  if (isEqual || numberFormat(old.text) !== numberFormat(next.text)) emit(path, form("number format", old, next));
}

function compareTexts(path: Path, old: string, next: string, rule: FieldRule, emit: Emit): void {
  if (old === next) return;
  const order = rule.isDateTime ? compareTimes(old, next) : null;
  if (order !== null) {
    if (order !== 0) emit(path, data("value", old, next));
    if (order === 0 || dateFormat(old) !== dateFormat(next)) emit(path, form("date-time format", old, next));
  } else if (rule.isWallet && canonicalWallet(old) === canonicalWallet(next)) {
    emit(path, form("letter case of a wallet", old, next));
  } else {
    emit(path, data("value", old, next));
  }
}

// The number of digits of the fraction is ignored: some servers leave out zeros at the end.
const dateFormat = (text: string): string => text.replace(/\.\d+/, ".0").replaceAll(/\d/g, "0");
