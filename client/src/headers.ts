/** Milliseconds since 1970 of an HTTP date. NaN for anything else, such as `1`. */
export const parseHttpDate = (value: string | null): number =>
  value?.endsWith("GMT") ? Date.parse(value) : Number.NaN;

/** Milliseconds to wait, from a number of seconds or an HTTP date. Null without a valid header. */
export function readRetryAfter(headers: Headers): number | null {
  const value = headers.get("retry-after");
  const ms = value && /^\d+$/.test(value) ? Number(value) * 1000 : parseHttpDate(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
