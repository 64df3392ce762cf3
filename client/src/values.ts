/** Milliseconds since 1970 of an HTTP date. NaN for anything else, such as `1`. */
export const parseHttpDate = (value: string | null): number =>
  value?.endsWith("GMT") ? Date.parse(value) : Number.NaN;

/** Milliseconds to wait, from a number of seconds or an HTTP date. Null without a valid header. */
export function readRetryAfter(headers: Headers): number | null {
  const value = headers.get("retry-after");
  const ms = value && /^\d+$/.test(value) ? Number(value) * 1000 : parseHttpDate(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

const ISO_8601 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** The number in a count of V1, which is a string. Null if it is not a plain, exact number. */
export function parseCount(text: string | null): number | null {
  const count = /^\d+$/.test(text ?? "") ? Number(text) : Number.NaN;
  return Number.isSafeInteger(count) ? count : null;
}

/**
 * The date in a field such as `last_calculated_at` or `earned_at`. Null if there is none, or if it
 * is not in the form of ISO 8601. A time without a zone is in UTC.
 */
export function parseDate(text: string | null): Date | null {
  const [match, time, , , zone] = ISO_8601.exec(text ?? "") ?? [];
  const date = new Date(match && time && !zone ? `${match}Z` : (match ?? ""));
  return Number.isNaN(date.getTime()) ? null : date;
}
