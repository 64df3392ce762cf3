const DATE = { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" } as const;

/** `30 June 2027`, with the time in UTC unless it is midnight. The locale is fixed. */
export function formatDate(date: Date): string {
  const day = date.toLocaleDateString("en-GB", DATE);
  const time = date.toISOString().slice(11, 16);
  return time === "00:00" ? day : `${day}, ${time} UTC`;
}
