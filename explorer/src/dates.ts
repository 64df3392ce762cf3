// The locale is fixed, and times are in UTC. Formats are created once: toLocaleDateString would create
// one for each call, which takes longer than the rest of a page.
const DATE = { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" } as const;
const DAY = new Intl.DateTimeFormat("en-GB", DATE);
// Its months have three letters; in British English, September has four.
const MONTH = new Intl.DateTimeFormat("en-US", { month: "short", timeZone: "UTC" });
const COUNT = new Intl.NumberFormat("en");

/** `30 June 2027`. */
export const formatDay = (date: Date): string => DAY.format(date);

/** `15:00 UTC`. */
export const formatTime = (date: Date): string => `${date.toISOString().slice(11, 16)} UTC`;

/** The day, with the time unless it is midnight: `30 June 2027, 12:00 UTC`. */
export function formatDate(date: Date): string {
  const time = formatTime(date);
  return time === "00:00 UTC" ? formatDay(date) : `${formatDay(date)}, ${time}`;
}

/** `5 minutes`, `48 hours`, `1 hour 30 minutes`. */
export function formatSpan(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const parts = [
    { count: Math.floor(minutes / 60), unit: "hour" },
    { count: minutes % 60, unit: "minute" },
  ];
  const shown = parts.filter(({ count }) => count > 0).map(({ count, unit }) => formatCount(count, unit));
  return shown.join(" ") || "less than a minute";
}

/** `in 2 days and 23 hours`, `in 5 minutes`, `soon`. */
export function formatLeft(end: Date, now: Date): string {
  const minutes = Math.floor((end.getTime() - now.getTime()) / 60_000);
  if (minutes < 1) return "soon";
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
export const formatMonth = (date: Date): string => `${MONTH.format(date)} ${date.getUTCFullYear()}`;

/** How long ago, in whole units: `today`, `12 days ago`, `2 years and 5 months ago`. */
export function formatAge(date: Date, now: Date): string {
  const days = Math.floor((now.getTime() - date.getTime()) / 86_400_000);
  if (days < 1) return days < 0 ? "in the future" : "today";
  let months = (now.getUTCFullYear() - date.getUTCFullYear()) * 12 + now.getUTCMonth() - date.getUTCMonth();
  if (now.getUTCDate() < date.getUTCDate()) months -= 1;
  if (months < 2) return `${formatCount(days, "day")} ago`;
  const years = Math.floor(months / 12);
  const parts = [
    ...(years > 0 ? [formatCount(years, "year")] : []),
    ...(months % 12 > 0 ? [formatCount(months % 12, "month")] : []),
  ];
  return `${parts.join(" and ")} ago`;
}
