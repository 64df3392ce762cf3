// In English and UTC. Intl.DateTimeFormat takes 25 ms at the start of a server, and a tenth of a page with many dates.
const MONTHS = "January February March April May June July August September October November December".split(" ");
const COUNT = new Intl.NumberFormat("en");

const monthOf = (date: Date): string => MONTHS[date.getUTCMonth()] as string;

/** `30 June 2027`. */
export const formatDay = (date: Date): string => `${date.getUTCDate()} ${formatLongMonth(date)}`;

/** `February 2024`. */
export const formatLongMonth = (date: Date): string => `${monthOf(date)} ${date.getUTCFullYear()}`;

/** The end of V1, with its hour also at midnight: `31 December 2027, 00:00 UTC` is not the end of that day. */
export const formatEnd = (date: Date): string => `${formatDay(date)}, ${formatTime(date)}`;

/** The day before an end at midnight; null for an end at another time. */
export function lastFullDay(end: Date): Date | null {
  const isMidnight = formatTime(end) === "00:00 UTC" && end.getUTCSeconds() === 0;
  return isMidnight ? new Date(end.getTime() - 86_400_000) : null;
}

/** `15:00 UTC`. */
export const formatTime = (date: Date): string => `${date.toISOString().slice(11, 16)} UTC`;

/** The day, with the time unless it is midnight: `30 June 2027, 12:00 UTC`. */
export function formatDate(date: Date): string {
  const time = formatTime(date);
  return time === "00:00 UTC" ? formatDay(date) : `${formatDay(date)}, ${time}`;
}

/** `5 minutes`, `72 hours`, `7 days`, `1 hour and 30 minutes`. */
export function formatSpan(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes > 3 * 1_440 && minutes % 1_440 === 0) return formatCount(minutes / 1_440, "day");
  const parts = [
    { count: Math.floor(minutes / 60), unit: "hour" },
    { count: minutes % 60, unit: "minute" },
  ];
  const shown = parts.filter(({ count }) => count > 0).map(({ count, unit }) => formatCount(count, unit));
  return shown.join(" and ") || "less than a minute";
}

/** `in 2 days and 23 hours`, `in 5 minutes`, `in less than a minute`. */
export function formatLeft(end: Date, now: Date): string {
  const minutes = Math.floor((end.getTime() - now.getTime()) / 60_000);
  if (minutes < 1) return "in less than a minute";
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60)];
  if (days === 0) return `in ${formatSpan(minutes * 60_000)}`;
  return `in ${formatCount(days, "day")}${hours > 0 ? ` and ${formatCount(hours, "hour")}` : ""}`;
}

export const formatCount = (count: number, noun: string): string =>
  `${COUNT.format(count)} ${noun}${count === 1 ? "" : "s"}`;

/** `1 May 2027, 15:00 UTC, for 1 hour`. */
export const formatBrownout = ({ startsAt, endsAt }: { startsAt: Date; endsAt: Date }): string =>
  `${formatDay(startsAt)}, ${formatTime(startsAt)}, for ${formatSpan(endsAt.getTime() - startsAt.getTime())}`;

/** `28 May 2024`, with a short month. */
export const formatShortDay = (date: Date): string => `${date.getUTCDate()} ${formatMonth(date)}`;

/** `28 May 2024, 01:06 UTC`. */
export const formatMoment = (date: Date): string => `${formatShortDay(date)}, ${formatTime(date)}`;

/** `May 2024`. */
export const formatMonth = (date: Date): string => `${monthOf(date).slice(0, 3)} ${date.getUTCFullYear()}`;

/** The time between two dates in whole units: `12 days`, `2 years and 5 months`. */
export function formatElapsed(from: Date, to: Date): string {
  const days = Math.floor((to.getTime() - from.getTime()) / 86_400_000);
  if (days < 1) return "less than a day";
  let months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  if (to.getUTCDate() < from.getUTCDate()) months -= 1;
  if (months < 2) return formatCount(days, "day");
  const years = Math.floor(months / 12);
  const parts = [
    ...(years > 0 ? [formatCount(years, "year")] : []),
    ...(months % 12 > 0 ? [formatCount(months % 12, "month")] : []),
  ];
  return parts.join(" and ");
}
